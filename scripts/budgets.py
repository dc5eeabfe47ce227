#!/usr/bin/env python3
"""budgets.py [--short] HARDHEAD: checks that `learn` keeps to its limits, on a hundred runs over families, learners and sizes.

Prints a row for each run: the memory that it is predicted to need (--memory-limit 1 makes the program print it) and the peak of
the process; the seconds that it is allowed and those that the learner took; the examples that it is allowed and used. The
summary has the largest ratios. Exits with 1 if memory is above the prediction by more than 10%, if seconds are above the limit
by more than 10% and a second, or if examples are above their limit at all.

--short: a few small runs, and their memory and examples alone: seconds depend on what else the machine does."""
import json
import os
import re
import subprocess
import sys

SECONDS = 2
# Nothing is run that is predicted to need more: it is a row that says so.
MOST_BYTES = 4 * 2**30
EXAMPLES = 20_000

NICE = ["nice:d=4,k=2,m=1", "nice:d=16,k=3,m=2", "nice:d=8,k=64,m=2", "nice:d=16,k=2,m=64", "nice:d=64,k=4,m=4",
        "nice:d=32,k=16,m=2", "nice:d=64,k=2,m=64", "nice:d=256,k=2,m=1", "nice:d=128,k=2,m=16"]
STRUCTURED = ["diagonal:d=32", "block-diagonal:d=32", "low-rank:d=32,m=4", "orthogonal:d=32", "permutation:d=32,k=16",
              "transformer:d=64,m=8", "transformer:d=256,m=16", "degraded:d=32,which=label_noise"]
HARD = ["parity:d=20,m=6", "parity:d=80,m=64", "parity:d=256,m=32", "lwr:n=8", "lwr:n=31", "lwe:n=31",
        "lpn:n=100", "staircase:n=8", "path:t=0.9", "lwr-path:n=6,q=4,secret=binary"]

# Source, method, examples.
SHORT = [
    ("nice:d=4,k=2,m=1", "gauss-newton", 2_000),
    ("nice:d=8,k=64,m=2", "gauss-newton", 1_000),
    ("nice:d=16,k=3,m=2", "sculpt", 50_000),
    ("nice:d=64,k=2,m=16", "adam:student=1,steps=20", 5_000),
    ("nice:d=128,k=2,m=8", "phase1", 5_000),
    ("nice:d=32,k=3,m=2", "lbfgs:student=8,iterations=5,starts=1", 2_000),
    ("lwe:n=16", "phase1", 10_000),
    ("parity:d=256,m=4", "phase1", 10_000),
]
LONG = [
    *[(source, method, EXAMPLES) for source in NICE for method in ("phase1", "gauss-newton", "lbfgs", "adam")],
    *[(source, "sculpt", 200_000) for source in NICE[:7]],
    *[(source, method, EXAMPLES) for source in STRUCTURED for method in ("phase1", "gauss-newton")],
    *[(source, method, EXAMPLES) for source in HARD for method in ("phase1", "gauss-newton")],
    ("nice:d=4,k=2,m=1", "paper", EXAMPLES),
    ("nice:d=8,k=3,m=2", "paper", EXAMPLES),
    ("nice:d=12,k=2,m=2", "paper", 400_000),
    ("nice:d=16,k=3,m=2", "sculpt", 10_000_000),
    ("nice:d=16,k=3,m=2", "sgd", 1_000_000),
    ("nice:d=32,k=3,m=3", "sign-sgd", 1_000_000),
    ("nice:d=64,k=4,m=4", "phase1", 1_000_000),
    ("nice:d=256,k=2,m=64", "phase1", EXAMPLES),
    ("nice:d=256,k=2,m=64", "adam:student=1", EXAMPLES),
    ("nice:d=64,k=4,m=4", "adam:student=1024", EXAMPLES),
    ("nice:d=16,k=3,m=2", "adam:batch=100000", 1_000_000),
    ("nice:d=16,k=3,m=2", "gauss-newton:max_heads=64", EXAMPLES),
    ("nice:d=16,k=64,m=2", "gauss-newton:max_heads=16", EXAMPLES),
    ("nice:d=64,k=2,m=4", "lbfgs:student=64", EXAMPLES),
    ("nice:d=1024,k=2,m=1", "phase1", EXAMPLES),
    ("nice:d=1024,k=2,m=4", "adam:student=1", EXAMPLES),
    ("transformer:d=512,k=2,m=8", "phase1", EXAMPLES),
    ("parity:d=512,m=6", "phase1", EXAMPLES),
    ("parity:d=512,m=6", "lbfgs:student=1", EXAMPLES),
    ("parity:d=512,m=6", "gauss-newton:max_heads=1", EXAMPLES),
    ("nice:d=256,k=2,m=1", "sculpt", 100_000),
]


def run(program, *arguments):
    """Exit code, standard output, standard error and peak resident bytes of one call."""
    child = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, error = child.stdout.read(), child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), out, error, usage.ru_maxrss * 1024


class Worst:
    """The largest ratio, and what it was measured on."""

    def __init__(self):
        self.ratio, self.of = 0.0, "nothing"

    def take(self, ratio, of):
        if ratio > self.ratio:
            self.ratio, self.of = ratio, of

    def __str__(self):
        return f"{self.ratio:.2f} ({self.of})"


def main():
    short, program = sys.argv[1:-1] == ["--short"], sys.argv[-1]
    runs = SHORT if short else LONG
    memory, seconds, above, refused = Worst(), Worst(), 0, 0
    print("| instance | learner | MiB predicted | MiB taken | seconds allowed | taken | examples allowed | used |")
    print("|---|---|---|---|---|---|---|---|")
    for source, method, examples in runs:
        name = f"| `{source}` | {method} |"
        command = ["learn", source, "--method", method, "--examples", str(examples), "--quiet", "--json"]
        refusal = run(program, *command, "--memory-limit", "1")[2]
        predicted = float(re.search(r"predicted to need (\S+) bytes", refusal)[1])
        if predicted > MOST_BYTES:
            refused += 1
            print(f"{name} {predicted / 2**20:.0f} | refused | | | | |", flush=True)
            continue
        code, out, error, peak = run(program, *command, "--time-limit", str(SECONDS))
        if code != 0:
            sys.exit(f"{' '.join(command)}: exit code {code}: {error}")
        report = json.loads(out)
        in_time = short or report["seconds"] <= 1.1 * SECONDS + 1
        good = peak <= 1.1 * predicted and in_time and report["examples_used"] <= examples
        above += not good
        memory.take(peak / predicted, f"{source} {method}")
        seconds.take(report["seconds"] / SECONDS, f"{source} {method}")
        print(f"{name} {predicted / 2**20:.1f} | {peak / 2**20:.1f} | {SECONDS} | "
              f"{report['seconds']:.2f} ({report['outcome']}) | {examples} | {report['examples_used']} |"
              + ("" if good else " above"), flush=True)
    print(f"\n{len(runs)} runs, {refused} of them refused, {above} above a limit. Largest ratios: memory taken to predicted "
          f"{memory}, seconds taken to allowed {seconds}.")
    return 0 if above == 0 else 1


sys.exit(main())
