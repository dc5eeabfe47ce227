"""Damaged files of every format, through the command line."""

import os

from harness import Failure


def mutated(content, random):
    """`content` with one to four changes of the kinds that break parsers."""
    content = bytearray(content)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(content) + 1)
        kind = random.randrange(7)
        if kind == 0 and content:
            content[at % len(content)] ^= 1 << random.randrange(8)
        elif kind == 1:
            del content[at:]
        elif kind == 2:
            del content[at:at + random.randint(1, 20)]
        elif kind == 3:
            content[at:at] = random.choice([b"\0", b"\n", b"{", b"]", b'"', b",", b"-", b"\xff\xfe", b"\x1b[2J"])
        elif kind == 4:
            content[at:at] = random.choice([b"1e999", b"-1", b"9223372036854775808", b"NaN", b"null", b"0.5"])
        elif kind == 5:
            content[at:at + 1] = bytes(content[at:at + 1]) * random.randint(2, 50)
        else:
            piece = content[at:at + random.randint(1, 60)]
            other = random.randrange(len(content) + 1)
            content[other:other] = piece
    return bytes(content)


def make_seeds(h):
    """A good file of each format, and the commands that read it."""
    h.run("generate", "nice:d=4,k=2,m=2", "-o", "layer.safetensors")
    h.run("sample", "nice:d=4,k=2,m=2", "--count", "300", "-o", "data.safetensors")
    h.run("lwe", "generate", "lwe:n=3,q=17,sigma=0.5,samples=40", "-o", "lwe.json")
    h.run("lwe", "generate", "lwe:n=3,q=17,sigma=0.5,samples=40", "-o", "lwe.txt")
    h.run("lwe", "generate", "lwe:n=3,q=17,sigma=0.5,samples=40", "-o", "solved.json")
    h.run("lwe", "attack", "solved.json", "-o", "solution.json", "--quiet")
    h.run("generate", "nice:d=4,k=2,m=2", "-o", "learnt.safetensors")
    h.write("study.toml", '[[grid]]\nsource = ["nice:d=4,k=2,m=1"]\nmethod = ["phase1"]\nexamples = [200]\n')
    h.run("sweep", "study.toml", "--out", "swept", "--quiet")
    h.run("challenge", "make", "parity:d=4,m=2", "-n", "60", "-o", "challenge.safetensors", "--keep", "kept.json")
    h.write("labels.csv", "1,0,0,0,-1,0,0,0\n" * 512)
    learn = ["--method", "phase1", "--examples", "200", "--quiet"]
    formats = {
        "layer": ("layer.safetensors", [["inspect", "FILE"], ["learn", "FILE", *learn], ["certify", "FILE"]]),
        "data": ("data.safetensors", [["inspect", "FILE"], ["learn", "FILE", *learn]]),
        "lwe json": ("lwe.json", [["lwe", "attack", "FILE", "--time-limit", "2", "--quiet"]]),
        "lwe text": ("lwe.txt", [["lwe", "attack", "FILE", "--time-limit", "2", "--quiet"]]),
        "sweep": ("study.toml", [["sweep", "FILE", "--out", "again", "--quiet"]]),
        "journal": ("swept/journal.jsonl", [["report", "swept"]]),
        "record": ("swept/sweep.json", [["report", "swept"]]),
        "solution": ("solution.json", [["challenge", "verify", "solved.json", "FILE"]]),
        "challenge": ("challenge.safetensors", [["challenge", "verify", "FILE", "kept.json"],
                                                ["challenge", "data", "FILE", "-o", "written.safetensors"],
                                                ["challenge", "data", "FILE", "-o", "written.json"]]),
        "secret": ("kept.json", [["challenge", "verify", "challenge.safetensors", "FILE"]]),
        "labels": ("labels.csv", [["challenge", "verify", "challenge.safetensors", "FILE"]]),
        "result of a program": ("learnt.safetensors", [["learn", "nice:d=4,k=2,m=2", "--examples", "300", "--quiet",
                                                        "--method", "exec:f() { cp FILE $2; }; f"]]),
    }
    for name, (file, _) in formats.items():
        if not os.path.exists(h.path(file)):
            raise Failure(f"the seed file of {name} was not made")
    return formats


def test(h):
    formats = make_seeds(h)
    for name, (file, commands) in formats.items():
        good = h.read(file)
        for number in range(h.times(8, 1500)):
            damaged = mutated(good, h.random)
            command = commands[number % len(commands)]
            h.write(file, damaged)
            words = [word.replace("FILE", h.path(file)) for word in command]

            def body(words=words):
                h.expect_answer(h.run(*words))

            before = len(h.failures)
            h.case(name, " ".join(words), body)
            if len(h.failures) > before:
                kept = f"hostile-{name.replace(' ', '-')}-{h.seed}-{number}"
                with open(kept, "wb") as out:
                    out.write(damaged)
                print(f"  the file is kept as {kept}")
        h.write(file, good)
    specs(h)


def specs(h):
    """Damaged specs, of instances, samples, classes and learners."""
    commands = [["suite", "nice:d=16,k=3,m=2,theta_norm=2,inputs=boolean,seed=7"],
                ["suite", "lwr:n=3,q=16,p=2,secret=fixed-weight,weight=1"],
                ["certify", "block-diagonal:d=16,k=3,m=2,blocks=4"],
                ["lwe", "attack", "lwe:n=3,q=17,sigma=0.5,samples=40,secret=ternary", "--time-limit", "2", "--quiet"],
                ["sq", "bound", "parity:d=12,m=3"], ["sq", "bound", "subsets:n=6,m=2"],
                ["learn", "nice:d=4,k=2,m=1", "--examples", "200", "--quiet", "--time-limit", "2", "--method",
                 "adam:steps=20,rate=0.01,heads=2"]]
    for number in range(h.times(8, 1500)):
        words = list(commands[number % len(commands)])
        at = max(k for k, word in enumerate(words) if ":" in word)
        words[at] = mutated(words[at].encode(), h.random).replace(b"\0", b"").decode("latin-1")
        if words[at].startswith("-"):
            continue  # a flag
        h.case("spec", " ".join(words), lambda words=words: h.expect_answer(h.run(*words, "--memory-limit", "2G")
                                                                            if words[0] == "learn" else h.run(*words)))
