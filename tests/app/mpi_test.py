"""Ranks of an MPI job: the same results as one process, and a rank that dies ends the job and loses nothing done.

Usage: mpi_test.py HARDHEAD. Exits 77 (skipped) where there is no mpirun or the program was built without MPI.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",  # the same in Open MPI 5
                   OMPI_MCA_btl_vader_single_copy_mechanism="none",
                   ASAN_OPTIONS="detect_leaks=0")  # Open MPI leaves memory behind


def command(ranks, *arguments):
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    return [*launcher, program, *arguments]


def run(ranks, *arguments, expect=0):
    done = subprocess.run(command(ranks, *arguments), env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, f"{ranks} ranks, {arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(one) for name, one in value.items()
                if not name.endswith("seconds") and name not in ("threads", "journal", "results")}
    return [without_times(one) for one in value] if isinstance(value, list) else value


if not shutil.which("mpirun"):
    print("no mpirun: skipped")
    sys.exit(77)
if "no MPI" in subprocess.run(command(2, "families"), env=environment, capture_output=True, text=True).stderr:
    print("built without MPI: skipped")
    sys.exit(77)

os.chdir(tempfile.mkdtemp(prefix="hardhead-mpi-"))

# One learner, its harvest shared; odd numbers of blocks, and ranks that do not divide them.
for method, several in (("sculpt:rows=600", (2, 5)), ("paper:rows=400", (3,))):
    learn = ("learn", "nice:d=6,k=2,m=2", "--method", method, "--examples", "20011", "--json", "--quiet")
    alone = without_times(json.loads(run(1, *learn)))
    assert alone["test_error"] < 1 and alone["phases"], alone
    for ranks in several:
        assert without_times(json.loads(run(ranks, *learn))) == alone, f"{method} differs on {ranks} ranks"
    print(f"{method}: the same on 1 rank and on {several}")

# A file is written once, by the root rank.
run(3, "learn", "nice:d=6,k=2,m=2", "--method", "gauss-newton", "--heads", "2", "-o", "out.safetensors", "--quiet")
assert os.listdir(".") == ["out.safetensors"], os.listdir(".")

# Runs handed out one by one.
compare = ("compare", "nice:d=6,k=2,m=2", "parity:d=4,m=2", "--method", "gauss-newton", "--method", "phase1",
           "--examples", "200", "--seeds", "3", "--json", "--quiet")
alone = without_times(json.loads(run(1, *compare)))
assert without_times(json.loads(run(3, *compare))) == alone, "compare differs on 3 ranks"
print("compare: the same on 1 and 3 ranks")

with open("study.toml", "w") as file:
    file.write('seeds = 12\n[[grid]]\nsource = ["nice"]\nparameters = { d = [8], k = [3], m = [2, 3] }\n'
               'method = ["gauss-newton"]\n')
run(1, "sweep", "study.toml", "--out", "one", "--quiet")


def journalled(folder):
    with open(f"{folder}/journal.jsonl") as file:
        return {run["run"]: without_times(run) for run in map(json.loads, file.read().splitlines())}


wanted = journalled("one")
assert len(wanted) == 24
run(3, "sweep", "study.toml", "--out", "three", "--quiet")
assert journalled("three") == wanted, "the journals of 1 and 3 ranks differ"
print("sweep: the same on 1 and 3 ranks")

# A rank that dies in the middle.
job = subprocess.Popen(command(3, "sweep", "study.toml", "--out", "killed", "--quiet"), env=environment,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
journal = "killed/journal.jsonl"
deadline = time.monotonic() + 60
while time.monotonic() < deadline and not (os.path.exists(journal) and open(journal).read().count("\n") >= 3):
    time.sleep(0.01)
ranks = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
assert len(ranks) == 3, ranks
os.kill(int(ranks[-1]), signal.SIGKILL)
_, message = job.communicate(timeout=60)
assert job.returncode != 0
assert "signal 9" in message, message
before = journalled("killed")
assert 3 <= len(before) and all(wanted[name] == run for name, run in before.items())
told = json.loads(run(2, "sweep", "study.toml", "--out", "killed", "--quiet", "--json"))
assert told["from_journal"] == len(before) and told["done"] == 24, told
assert journalled("killed") == wanted
print(f"a rank killed after {len(before)} of 24 runs: the job ended with code {job.returncode}, the rest was done by "
      "the same command")

# SIGTERM to the launcher ends all ranks, and what is journalled is kept. (What the launcher itself exits with is then its
# own affair.) The signal comes when the ranks are at work: Open MPI's launcher can miss one that comes while it starts them.
job = subprocess.Popen(command(2, "sweep", "study.toml", "--out", "stopped", "--quiet"), env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
journal = "stopped/journal.jsonl"
deadline = time.monotonic() + 60
while time.monotonic() < deadline and not (os.path.exists(journal) and open(journal).read().count("\n") >= 1):
    time.sleep(0.01)
job.send_signal(signal.SIGTERM)
job.wait(timeout=60)
assert all(wanted[name] == run for name, run in journalled("stopped").items())

# A signal to the ranks: each ends with 128 + its number, which the launcher hands on.
for number in (signal.SIGINT, signal.SIGTERM):
    with open("said", "w") as said:
        job = subprocess.Popen(command(2, "learn", "nice:d=32,k=3,m=4", "--json"), env=environment,
                               stdout=subprocess.PIPE, stderr=said, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and "%" not in open("said").read():  # progress: it is at work
            time.sleep(0.01)
        for rank in subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split():
            os.kill(int(rank), number)
        job.communicate(timeout=20)
    assert job.returncode == 128 + number, (job.returncode, open("said").read())
print("a signal: the ranks end with 128 + its number")

# A mistake is named, and nothing hangs.
refused = subprocess.run(command(2, "learn", "nice:d=6,k=9999999"), env=environment, capture_output=True, text=True)
assert refused.returncode == 2, refused
assert refused.stderr.count("hardhead:") == 1 and "k=9999999" in refused.stderr, refused.stderr
assert run(2, "families") == run(1, "families")
