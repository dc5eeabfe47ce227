#!/usr/bin/env python3
"""kill_sweep.py HARDHEAD: kills a sweep of 210 runs with SIGKILL at 20 random moments, resumes it, and compares it with an
undisturbed sweep. Prints the result. Exits with 1 if a run was lost, stands in the journal twice, or differs."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
KILLS, JOBS, SEED = 20, 2, 1
SWEEP = """seeds = 35
[[grid]]
source = "nice"
parameters = { d = [6, 8], m = 2 }
method = ["gauss-newton", "lbfgs", "phase1"]
heads = "told"
examples = 1000
"""


def start(folder):
    command = [PROGRAM, "sweep", "s.toml", "--out", folder, "--jobs", str(JOBS)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def journal(folder):
    """The whole lines, from which a resumed sweep continues, and whether the last line was cut off."""
    path = os.path.join(folder, "journal.jsonl")
    text = open(path).read() if os.path.exists(path) else ""
    whole = text.rfind("\n") + 1
    return text[:whole].splitlines(), whole < len(text)


def without_seconds(lines):
    runs = [json.loads(line) for line in lines]
    for run in runs:
        run["seconds"] = 0
        for phase in run["phases"]:
            phase["seconds"] = 0
    return {run["run"]: run for run in runs}


def table(folder):
    rows = list(csv.DictReader(open(os.path.join(folder, "results.csv"))))
    return [{**row, "seconds": 0} for row in rows]


def main():
    os.chdir(tempfile.mkdtemp())
    with open("s.toml", "w") as file:
        file.write(SWEEP)
    began = time.monotonic()
    start("alone").wait()
    runs = len(journal("alone")[0])
    whole = time.monotonic() - began

    moments = random.Random(SEED)
    kills, done, torn, faults = 0, [], 0, []
    for _ in range(100 * KILLS):
        if kills == KILLS:
            break
        sweep = start("killed")
        time.sleep(moments.uniform(0, 2 * whole / (KILLS + 10)))
        sweep.kill()
        sweep.wait()
        kills += sweep.returncode < 0
        lines, cut_off = journal("killed")
        torn += cut_off
        if lines[: len(done)] != done:
            faults.append("a run in the journal was lost")
        done = lines
        if sweep.returncode == 0:
            break
    left = runs - len(done)
    last = start("killed")
    last.wait()

    lines = journal("killed")[0]
    expected, found = without_seconds(journal("alone")[0]), without_seconds(lines)
    if last.returncode != 0 or len(lines) != runs or len(found) != runs:
        faults.append("the journal does not have every run once")
    if found != expected or table("killed") != table("alone"):
        faults.append("results differ")
    if kills < KILLS:
        faults.append(f"the sweep ended after {kills} kills")

    print(f"{runs} runs, {JOBS} at a time; left alone: {whole:.1f} s")
    print(f"killed {kills} times, the last time with {left} runs to do; {torn} times a line was cut off")
    print(f"in the journal in the end: {len(lines)} lines, {len(found)} different runs")
    print("results but for seconds: " + ("the same bit for bit" if found == expected else "different"))
    print("\n".join(faults) if faults else "nothing lost, nothing done twice")
    return 1 if faults else 0


sys.exit(main())
