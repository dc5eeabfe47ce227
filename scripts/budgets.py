#!/usr/bin/env python3
"""budgets.py HARDHEAD [--short]: checks that `learn` keeps to its limits, on a hundred runs over families, learners
and sizes.

Prints a row for each run: the memory that it is predicted to need (--memory-limit 1 makes the program print it) and the peak of
the process; the seconds that it is allowed and those that the learner took; the examples that it is allowed and used. The
summary has the largest ratios. Exits with 1 if memory is above the prediction by more than 10%, if seconds are above the limit
by more than 10% and a second, if examples are above their limit at all, or if a run fails or has not ended after MOST_SECONDS
(a row that says so). Says on standard error how long the rest will take.

--short: a few small runs, and their memory and examples alone: seconds depend on what else the machine does."""
import json
import os
import re
import subprocess
import sys
import threading
import time

SECONDS = 2
# A run that takes longer is ended: the null predictor before the learner and the score after it take time as well.
MOST_SECONDS = 300
# Nothing is run that is predicted to need more: it is a row that says so.
MOST_BYTES = 4 * 2**30
EXAMPLES = 20_000

NICE = ["nice:d=4,k=2,m=1", "nice:d=16,k=3,m=2", "nice:d=8,k=64,m=2", "nice:d=16,k=2,m=64", "nice:d=64,k=4,m=4",
        "nice:d=32,k=16,m=2", "nice:d=64,k=2,m=64", "nice:d=256,k=2,m=1", "nice:d=128,k=2,m=16"]
STRUCTURED = ["diagonal:d=32", "block-diagonal:d=32", "low-rank:d=32,m=4", "orthogonal:d=32", "permutation:d=32,k=16",
              "transformer:d=64,m=8", "transformer:d=256,m=16", "degraded:d=32,which=label_noise"]
HARD = ["parity:d=20,m=6", "parity:d=80,m=64", "parity:d=256,m=32", "lwr:n=8", "lwr:n=31", "lwe:n=31",
        "lpn:n=100", "staircase:n=8", "path:t=0.9", "lwr-path:n=6,q=4,secret=binary"]

# Source, method, examples; no number of examples for a learner by value queries.
SHORT = [
    ("nice:d=4,k=2,m=1", "gauss-newton", 2_000),
    ("nice:d=8,k=64,m=2", "gauss-newton", 1_000),
    ("nice:d=16,k=3,m=2", "sculpt", 50_000),
    ("nice:d=64,k=2,m=16", "adam:student=1,steps=20", 5_000),
    ("nice:d=128,k=2,m=8", "phase1", 5_000),
    ("nice:d=32,k=3,m=2", "lbfgs:student=8,iterations=5,starts=1", 2_000),
    ("lwe:n=16", "phase1", 10_000),
    ("parity:d=256,m=4", "phase1", 10_000),
    ("transformer:d=64,k=4,m=8", "gauss-newton:rank=8,student=8,starts=1", 2_000),
    ("nice:d=64,k=2,m=2", "mobius", None),
    ("nice:d=96,k=2,m=1", "single", None),
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
    ("transformer:d=256,k=8,m=8", "gauss-newton:rank=32,student=8", EXAMPLES),
    ("transformer:d=512,k=2,m=8", "gauss-newton:rank=64,student=8", EXAMPLES),
    ("low-rank:d=256,k=2,m=2", "gauss-newton:rank=2,value_rank=256", EXAMPLES),
    ("nice:d=64,k=2,m=4", "lbfgs:student=64", EXAMPLES),
    ("nice:d=1024,k=2,m=1", "phase1", EXAMPLES),
    ("nice:d=1024,k=2,m=4", "adam:student=1", EXAMPLES),
    ("transformer:d=512,k=2,m=8", "phase1", EXAMPLES),
    ("parity:d=512,m=6", "phase1", EXAMPLES),
    ("parity:d=512,m=6", "lbfgs:student=1", EXAMPLES),
    ("parity:d=512,m=6", "gauss-newton:max_heads=1", EXAMPLES),
    ("nice:d=256,k=2,m=1", "sculpt", 100_000),
    ("nice:d=16,k=2,m=8", "mobius", None),
    ("nice:d=96,k=2,m=2", "mobius:oversample=3", None),
    ("nice:d=192,k=2,m=1", "single", None),
    ("nice:d=512,k=2,m=1", "single:rank=2", None),
    ("parity:d=256,m=4", "flip", None),
    ("lwr:n=31", "flip", None),
]


class Failed(Exception):
    """A run that is a row of the table without numbers."""


def run(program, *arguments):
    """Exit code, standard output, standard error and peak resident bytes of one call."""
    child = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ended = threading.Event()

    def kill():
        ended.set()
        child.kill()

    timer = threading.Timer(MOST_SECONDS, kill)
    timer.start()
    out, error = child.stdout.read(), child.stderr.read()  # what is on stderr is less than a pipe holds
    _, status, usage = os.wait4(child.pid, 0)
    timer.cancel()
    if ended.is_set():
        raise Failed(f"not ended after {MOST_SECONDS} s")
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


class Limits:
    """What the runs so far took of their limits."""

    def __init__(self, program, seconds_count):
        self.program, self.seconds_count = program, seconds_count
        self.memory, self.seconds, self.above, self.refused = Worst(), Worst(), 0, 0

    def row(self, source, method, examples):
        """The run's cells after its name."""
        name = f"{source} {method}"
        if examples is None:
            command = ["learn", source, "--method", method, "--quiet", "--json"]
        else:
            command = ["learn", source, "--method", method, "--examples", str(examples), "--quiet", "--json"]
        refusal = run(self.program, *command, "--memory-limit", "1")[2]
        predicted = re.search(r"predicted to need (\S+) bytes", refusal)
        if not predicted:
            raise Failed(f"no prediction: {refusal.strip()}")
        predicted = float(predicted[1])
        if predicted > MOST_BYTES:
            self.refused += 1
            return f"{predicted / 2**20:.0f} | refused | | | | |"
        code, out, error, peak = run(self.program, *command, "--time-limit", str(SECONDS))
        if code != 0:
            raise Failed(f"exit code {code}: {error.strip()}")
        report = json.loads(out)
        taken, used = report["seconds"], report.get("examples_used", 0)
        in_time = not self.seconds_count or taken <= 1.1 * SECONDS + 1
        good = peak <= 1.1 * predicted and in_time and (examples is None or used <= examples)
        self.above += not good
        self.memory.take(peak / predicted, name)
        self.seconds.take(taken / SECONDS, name)
        return (f"{predicted / 2**20:.1f} | {peak / 2**20:.1f} | {SECONDS} | {taken:.2f} ({report['outcome']}) | "
                f"{'-' if examples is None else examples} | {used} |" + ("" if good else " above"))


def main():
    program, short = sys.argv[1], sys.argv[2:] == ["--short"]
    runs = SHORT if short else LONG
    limits, failed, start = Limits(program, seconds_count=not short), 0, time.monotonic()
    print("| instance | learner | MiB predicted | MiB taken | seconds allowed | taken | examples allowed | used |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for done, (source, method, examples) in enumerate(runs):
        elapsed = time.monotonic() - start
        left = f", about {elapsed * (len(runs) - done) / done / 60:.0f} min left" if done > 0 else ""
        print(f"run {done + 1} of {len(runs)}{left}: {source}, {method}", file=sys.stderr, flush=True)
        try:
            cells = limits.row(source, method, examples)
        except Failed as failure:
            failed += 1
            cells = f"failed: {failure} | | | | | |"
        print(f"| `{source}` | {method} | {cells}", flush=True)
    print(f"\n{len(runs)} runs, {limits.refused} of them refused, {failed} failed, {limits.above} above a limit. Largest ratios: "
          f"memory taken to predicted {limits.memory}, seconds taken to allowed {limits.seconds}.")
    return 0 if limits.above + failed == 0 else 1


sys.exit(main())
