"""check_test.py PROGRAM: scripts/check.py on fresh output of each kind, and on a tampered file of each."""
import json
import os
import struct
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECK = os.path.join(TOP, "scripts", "check.py")
PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.TemporaryDirectory()


def program(*words):
    return subprocess.run((PROGRAM, *words, "--quiet"), cwd=FOLDER.name, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def path(name):
    return os.path.join(FOLDER.name, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


def check(code, *words):
    done = subprocess.run((sys.executable, "-B", CHECK, *words), cwd=FOLDER.name, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == code, f"{words} exits with {done.returncode}, not {code}: {done.stdout}"
    assert code != 1 or done.stdout.startswith("WRONG: "), f"{words}: {done.stdout}"
    print(" ".join(words), "->", done.stdout.strip().replace("\n", "; "))


def tampered_json(name, change):
    with open(path(name), encoding="utf-8") as file:
        document = json.load(file)
    change(document)
    write("tampered.json", json.dumps(document))
    return "tampered.json"


def tampered_tensor(name, tensor, entry, change):
    """A double of a safetensors file, changed."""
    with open(path(name), "rb") as file:
        data = bytearray(file.read())
    size = struct.unpack("<Q", data[:8])[0]
    begin, end = json.loads(data[8:8 + size])[tensor]["data_offsets"]
    at = 8 + size + begin + 8 * (entry % ((end - begin) // 8))
    [old] = struct.unpack("<d", data[at:at + 8])
    data[at:at + 8] = struct.pack("<d", change(old))
    with open(path("tampered.safetensors"), "wb") as file:
        file.write(data)
    return "tampered.safetensors"


def next_double(x):
    return struct.unpack("<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", x))[0] + 1))[0]


# Without hardhead: by the standard library alone.
with open(CHECK, encoding="utf-8") as source:
    lines = source.read().split("\n")
assert len(lines) <= 400, f"check.py has {len(lines)} lines"
for line in lines:
    if line.startswith(("import ", "from ")):
        assert line.split()[1] in sys.stdlib_module_names, line

# A layer against its rational weights, and labels.
for spec in ("parity:d=6,m=3,seed=2", "lwr:n=2,q=8,p=2,seed=3"):
    program("generate", spec, "-o", "layer.safetensors")
    program("sample", spec, "-n", "50", "-o", "data.safetensors")
    check(0, "layer", "layer.safetensors", "data.safetensors")
    d = 6 if spec.startswith("parity") else 7
    check(1, "layer", tampered_tensor("layer.safetensors", "w", d * d - d, next_double))
    check(1, "layer", "layer.safetensors", tampered_tensor("data.safetensors", "y", 0, lambda x: x + 1))

# Layers that are proved to exist next to the stored doubles: every one of these, changed by its last place, is refused.
for spec in ("parity:d=8,m=5,variant=compact", "parity:d=8,m=6,variant=compact-exact",
             "parity:d=70,m=64,base=16,variant=compact"):
    program("generate", spec, "-o", "layer.safetensors")
    program("sample", spec, "-n", "50", "-o", "data.safetensors")
    check(0, "layer", "layer.safetensors", "data.safetensors")
    d = int(spec.split("d=")[1].split(",")[0])
    for tensor, entry in (("w", d * d - d), ("w", -d), ("theta", 2 * d * d - 1)):
        check(1, "layer", tampered_tensor("layer.safetensors", tensor, entry, next_double))
    check(1, "layer", "layer.safetensors", tampered_tensor("data.safetensors", "y", 0, lambda x: x + 1))

# Layers with a constant, and of two slopes with rational weights.
for spec in ("parity:d=6,m=4,variant=minimal", "parity:d=6,m=3,variant=compact", "parity:d=6,m=3,variant=compact-exact"):
    program("generate", spec, "-o", "layer.safetensors")
    program("sample", spec, "-n", "50", "-o", "data.safetensors")
    check(0, "layer", "layer.safetensors", "data.safetensors")
    check(1, "layer", tampered_tensor("layer.safetensors", "w", 30, next_double))

# Transcripts: a game against the adversary, and one with a target.
for words in (("--learner", "combination"), ("--policy", "random"), ("--oracle", "vstat")):
    write("game.json", program("sq", "play", "parity:d=7,m=2", "--json", "--transcript", *words))
    check(0, "transcript", "game.json")
    check(1, "transcript", tampered_json("game.json", lambda game: game["transcript"][1].update(answer="9/10")))
    check(1, "transcript", tampered_json("game.json", lambda game: game["left_after"].append(1)))
write("game.json", program("sq", "play", "parity:d=7,m=2", "--json", "--transcript"))
check(0, "transcript", "game.json")
check(1, "transcript", tampered_json("game.json", lambda game: game.update(bound_exact="1")))

# Bounds.
for spec in ("parity:d=8,m=3", "parity:d=7,m=4"):
    write("bounds.json", program("hardness", spec, "--json"))
    check(0, "hardness", "bounds.json")
    check(1, "hardness", tampered_json("bounds.json", lambda report: report["bounds"][3].update(at_least="1")))

# Secrets against samples.
for spec in ("lwe:n=12,samples=40", "lwe:n=8,q=1000,noise=binomial,eta=3,secret=binomial,secret_eta=2,samples=40",
             "lwr:n=4,samples=200", "lpn:n=16,samples=400"):
    program("lwe", "generate", spec, "-o", "samples.json")
    program("lwe", "attack", "samples.json", "-o", "secret.json")
    check(0, "secret", "samples.json", "secret.json")
    wrong = tampered_json("secret.json", lambda solution: solution["secret"].__setitem__(0, 1 - solution["secret"][0] % 2))
    check(1, "secret", "samples.json", wrong)

# Challenges.
for spec in ("parity:d=12,m=3", "lpn:n=16,rate=0.125", "lwr:n=6,q=16,p=2"):
    program("challenge", "make", spec, "-n", "400", "-o", "challenge.safetensors", "--keep", "kept.json")
    check(0, "challenge", "challenge.safetensors", "kept.json")
    wrong = tampered_json("kept.json", lambda solution: solution["secret"].__setitem__(0, 1 - solution["secret"][0] % 2))
    check(1, "challenge", "challenge.safetensors", wrong)

# Verdicts: a distinguisher's, and a sweep's table.
write("verdict.json", program("lwe", "distinguish", "lwr:n=3", "--method", "exhaustive", "--trials", "6", "--json"))
check(0, "verdicts", "verdict.json")
check(1, "verdicts", tampered_json("verdict.json", lambda report: report.update(interval=[0.5, 1.0])))
write("study.toml", 'seeds = 3\n[[grid]]\nsource = ["nice:d=4,k=2,m=1"]\nmethod = ["phase1", "sculpt"]\n')
program("sweep", "study.toml", "--out", "out")
program("report", "out")
check(0, "verdicts", os.path.join("out", "report.csv"))
with open(path(os.path.join("out", "report.csv")), encoding="utf-8") as file:
    rows = file.read()
write("tampered.csv", rows.replace("3 of 3", "2 of 3").replace("3,3,1,", "2,3,1,"))
check(1, "verdicts", "tampered.csv")
FOLDER.cleanup()
