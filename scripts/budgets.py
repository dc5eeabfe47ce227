#!/usr/bin/env python3
"""budgets.py HARDHEAD: checks that `learn` keeps to its limits. Prints a row for each learner and size: the predicted memory
(--memory-limit 1 makes the program print it) and the peak of the process; the time limit and the seconds taken; the examples
allowed and used. Exits with 1 if memory or seconds exceed the prediction or limit by more than 10%, or if examples exceed
their limit at all."""
import json
import os
import re
import subprocess
import sys

RUNS = [
    ("nice:d=16,k=3,m=2", "sculpt", 1_000_000),
    ("nice:d=16,k=3,m=2", "sculpt", 10_000_000),
    ("nice:d=32,k=3,m=3", "sculpt", 2_000_000),
    ("nice:d=12,k=2,m=2", "paper", 400_000),
    ("nice:d=32,k=3,m=3", "gauss-newton", 100_000),
    ("nice:d=64,k=4,m=4", "gauss-newton", 40_000),
    ("nice:d=64,k=4,m=4", "lbfgs", 40_000),
    ("nice:d=64,k=4,m=4", "adam", 1_000_000),
    ("nice:d=64,k=4,m=4", "phase1", 1_000_000),
    ("parity:d=20,m=6", "gauss-newton", 200_000),
]
SECONDS = 8


def run(program, *arguments):
    """Exit code, standard output, standard error and peak resident bytes of one call."""
    child = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, error = child.stdout.read(), child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), out, error, usage.ru_maxrss * 1024


def main():
    program = sys.argv[1]
    kept = True
    print("| instance | learner | MiB predicted | MiB taken | seconds allowed | taken | examples allowed | used |")
    print("|---|---|---|---|---|---|---|---|")
    for source, method, examples in RUNS:
        command = ["learn", source, "--method", method, "--examples", str(examples), "--quiet", "--json"]
        refusal = run(program, *command, "--memory-limit", "1")[2]
        predicted = float(re.search(r"predicted to need (\S+) bytes", refusal)[1])
        code, out, error, peak = run(program, *command, "--time-limit", str(SECONDS))
        if code != 0:
            sys.exit(f"{' '.join(command)}: exit code {code}: {error}")
        report = json.loads(out)
        good = (peak <= 1.1 * predicted and report["seconds"] <= 1.1 * SECONDS
                and report["examples_used"] <= examples)
        kept = kept and good
        print(f"| `{source}` | {method} | {predicted / 2**20:.1f} | {peak / 2**20:.1f} | {SECONDS} | "
              f"{report['seconds']:.2f} ({report['outcome']}) | {examples} | {report['examples_used']} |"
              + ("" if good else " above"), flush=True)
    return 0 if kept else 1


sys.exit(main())
