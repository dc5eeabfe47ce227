#!/usr/bin/env python3
"""digests.py HARDHEAD [SETTING]...: checks that the answers are the same on any number of threads and ranks. Runs every
example of every command (except long ones and those that a clock ends), all learners on a nice and a hard layer, and both
routes of the six phases, in a fresh folder for each setting. The settings are 1, 2 and 4 threads, and 2 and 3 ranks of an
MPI job with one thread each, or the given ones (`4` is 4 threads, `3x1` is 3 ranks with 1 thread each). Prints a digest of
each command's JSON, without seconds and numbers of threads, and of the files that it wrote. Marks commands whose digests
differ, and then exits with 1."""
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "app"))
from torch_model import write_model  # noqa: E402  the tests' own

LONG = ("demo", "reproduce")
OF_A_CLOCK = ("atlas --quick --out atlas", "atlas --jobs 2 --threads 2 --out atlas")  # shots end by seconds
OF_THE_MACHINE = ("doctor", "completion", "help", "report")
OF_ENTROPY = ("challenge make", "challenge data", "challenge verify")  # other files every time
LEARNERS = [
    f"hardhead learn {source} --method {method} --examples 60000 {told}"
    for source, told in (("nice:d=12,k=3,m=2", "--heads 2"), ("parity:d=12,m=2", ""), ("nice:d=12,k=2,m=2,inputs=gaussian", ""))
    for method in ("sculpt", "gauss-newton", "lbfgs", "adam:steps=600", "phase1")
] + [
    "hardhead learn nice:d=8,k=2,m=2 --method paper --heads 2 --examples 100000",
    "hardhead learn nice:d=32,k=3,m=3 --method gauss-newton --heads 3",
    "hardhead certify transformer:d=32,m=4",
    "hardhead sq dimension parity:d=16,m=3",
    "hardhead sq play parity:d=16,m=3 --tolerance 1/10",
    "hardhead lwe attack lpn:n=20,rate=0.125,samples=2000 --method exhaustive",
    "hardhead lwe attack lwe:n=10,q=97,sigma=1,samples=200 --method kannan",
]
VOLATILE = ("threads", "predicted", "speedup")


def steady(value):
    """The value without everything that depends on a clock or on the number of threads."""
    if isinstance(value, dict):
        return {name: steady(one) for name, one in value.items()
                if not name.endswith("seconds") and name not in VOLATILE}
    return [steady(one) for one in value] if isinstance(value, list) else value


def digest(program, words, ranks, threads, folder):
    command = [program, *words, "--json", "--quiet", "--threads", str(threads)]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), *command]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1",
                       PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",  # the same in Open MPI 5
                       OMPI_MCA_btl_vader_single_copy_mechanism="none")
    before = set(os.listdir(folder))
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    text = hashlib.sha256(json.dumps(steady(json.loads(done.stdout))).encode())
    for name in sorted(set(os.listdir(folder)) - before):
        if name.endswith(".safetensors"):
            with open(os.path.join(folder, name), "rb") as file:
                text.update(file.read())
    return text.hexdigest()[:12]


def main():
    program = os.path.abspath(sys.argv[1])
    settings = sys.argv[2:] or ["1", "2", "4", "2x1", "3x1"]
    table = json.loads(subprocess.run([program, "help", "--json"], capture_output=True, text=True, check=True).stdout)
    lines = [line for command in table["commands"] if command["name"] not in (*LONG, *OF_THE_MACHINE, *OF_ENTROPY)
             for line in command["examples"]] + LEARNERS
    lines = [line for line in lines if line.removeprefix("hardhead ") not in OF_A_CLOCK]
    folders = {}
    for setting in settings:
        folders[setting] = tempfile.mkdtemp(prefix="hardhead-digests-")
        with open(os.path.join(folders[setting], "study.toml"), "w") as study:
            study.write("[[grid]]\nsource = 'nice:d=8,k=2'\nmethod = 'gauss-newton'\nexamples = 1000\n")
        write_model(os.path.join(folders[setting], "model.safetensors"))
    print("settings:", ", ".join(settings))
    different = 0
    for line in lines:
        found = []
        for setting in settings:
            ranks, threads = setting.split("x") if "x" in setting else ("1", setting)
            found.append(digest(program, shlex.split(line)[1:], int(ranks), int(threads), folders[setting]))
        same = len(set(found)) == 1 and not found[0].startswith("exit")
        different += not same
        print(f"{found[0]}  {line}" if same else f"DIFFERENT {found}  {line}", flush=True)
    print(f"{len(lines)} commands, {different} different")
    return 1 if different else 0


sys.exit(main())
