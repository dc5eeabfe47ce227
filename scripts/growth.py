#!/usr/bin/env python3
"""growth.py HARDHEAD [--only LEARNER]: how the time and the memory of learners grow with d, k, m, examples, heads of
the student and the rank of heads.

A row varies one number and leaves the others. Growth is the slope of log y against log x over its values, by least
squares: of the examples or queries that a run used; of the operations that the algorithm does with them, by the formula
that is printed below the table; of seconds on one thread, with a standard error; of the peak of resident memory above
that of the program itself. A learner whose seconds grow faster than its operations does more than its algorithm says. At
the largest value: seconds, times as fast on two threads, MiB, and MiB that the program predicts. Medians of three seeds.
Ten minutes on two quiet cores; standard error has a line for each row while it runs."""
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

SEEDS = (1, 2, 3)


class Learner:
    """Its operations by formula and by the record of a run, and the phase that they are of; None: the whole run."""

    def __init__(self, formula, operations, *rows, phase=None):
        self.formula, self.operations, self.rows, self.phase = formula, operations, rows, phase

    def seconds(self, run):
        if self.phase is None:
            return run["seconds"]
        return sum(phase["seconds"] for phase in run["phases"] if phase["name"] == self.phase)


def measure(name):
    """Of all phases of a run, added up."""
    return lambda run: sum(phase.get(name) or 0 for phase in run["phases"])


def fitted(run):
    return sum(phase["examples"] for phase in run["phases"] if phase["name"].startswith("fit"))


def labels(run, s):
    return run["examples_used"] * s["k"] * s["m"] * s["d"] ** 2


def values(run, s):
    return run["tokens_used"] * s["m"] * s["d"] ** 2


def fit_steps(name):
    return lambda run, s: labels(run, s) * measure(name)(run)


def factored(run, s):
    ranks = 2 * s["rank"] + 3 * s.get("value_rank", s["rank"])
    return fitted(run) * s["k"] * s["m"] * s["d"] * ranks * measure("inner_steps")(run)


def student(run, s):
    return run["examples_used"] * s["k"] * s["student"] * s["d"] ** 2


NICE = "nice:d={d},k={k},m={m}"
TRANSFORMER = "transformer:d={d},k={k},m={m}"
LOW_RANK = "low-rank:d={d},k={k},m={m},rank={rank}"


def row(source, method, knob, at, told=False, **base):
    return source, method, knob, at, told, base


LEARNERS = {
    "phase1": Learner(
        "examples k m d^2, their labels", labels,
        row(NICE, "phase1", "d", (32, 64, 128, 256), k=2, m=2, examples=100_000),
        row(NICE, "phase1", "k", (2, 4, 8, 16), d=64, m=2, examples=100_000),
        row(NICE, "phase1", "m", (2, 4, 8, 16), d=64, k=2, examples=100_000),
        row(NICE, "phase1", "examples", (100_000, 200_000, 400_000, 800_000), d=64, k=2, m=2)),
    "sculpt": Learner(
        "examples k m d^2, their labels", labels,
        row(NICE, "sculpt", "d", (8, 16, 32, 64), k=2, m=2),
        row(NICE, "sculpt", "k", (2, 3, 4), d=16, m=2),
        row(NICE, "sculpt", "m", (1, 2, 3, 4), d=16, k=2)),
    "gauss-newton": Learner(
        "examples k m d^2 inner steps", fit_steps("inner_steps"),
        row(NICE, "gauss-newton", "d", (16, 24, 32, 48, 64), True, k=2, m=2),
        row(NICE, "gauss-newton", "k", (2, 3, 4, 6), True, d=32, m=2),
        row(NICE, "gauss-newton", "m", (1, 2, 4, 8), True, d=32, k=3),
        row(NICE, "gauss-newton:oversampling={times}", "times", (4, 8, 16, 32), True, d=32, k=2, m=2)),
    "gauss-newton:rank": Learner(
        "fitted examples k m d (2 rank + 3 value_rank) inner steps; rank d / m, or as varied with value_rank d", factored,
        row(TRANSFORMER, "gauss-newton:rank={rank}", "d", (32, 64, 96, 128), True, k=4, m=4),
        row(TRANSFORMER, "gauss-newton:rank={rank}", "k", (2, 4, 8), True, d=64, m=4),
        row(TRANSFORMER, "gauss-newton:rank={rank}", "m", (2, 4, 8), True, d=64, k=4),
        row(LOW_RANK, "gauss-newton:rank={rank},value_rank={value_rank}", "rank", (2, 4, 8), True, d=32, k=4, m=2,
            value_rank=32)),
    "lbfgs": Learner(
        "examples k m d^2 evaluations", fit_steps("evaluations"),
        row(NICE, "lbfgs", "d", (8, 16, 24, 32), True, k=2, m=2),
        row(NICE, "lbfgs", "k", (2, 3, 4, 6), True, d=16, m=2),
        row(NICE, "lbfgs", "m", (1, 2, 4), True, d=16, k=3)),
    "adam": Learner(
        "examples k student d^2, of 500 steps without the polish", student,
        row(NICE, "adam:student={student},steps=500", "d", (16, 32, 64, 128), k=2, m=2, student=32),
        row(NICE, "adam:student={student},steps=500", "k", (2, 4, 8), d=32, m=2, student=32),
        row(NICE, "adam:student={student},steps=500", "student", (16, 32, 64, 128), d=32, k=2, m=2),
        phase="descent"),
    "mobius": Learner(
        "tokens asked m d^2, their values", values,
        row(NICE, "mobius", "d", (32, 64, 128, 256), k=2, m=4),
        row(NICE, "mobius", "m", (1, 2, 4, 8), d=64, k=2)),
    "single": Learner(
        "tokens asked d^2, their values", values,
        row(NICE, "single", "d", (32, 64, 128, 256), k=2, m=1),
        row(LOW_RANK, "single:rank={rank}", "d", (64, 128, 256, 512), k=2, m=1,
            rank=2)),
}


def call(command):
    """Standard output and error, and the peak of resident bytes."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, error = child.stdout.read(), child.stderr.read()  # standard error has a line at most
    usage = os.wait4(child.pid, 0)[2]
    return out, error, usage.ru_maxrss * 1024


def command_of(program, template, sizes, seed, threads):
    source, method, told = template
    command = [program, "learn", source.format(**sizes) + f",seed={seed}", "--method", method.format(**sizes),
               "--threads", str(threads), "--quiet", "--json"]
    if "examples" in sizes:
        command += ["--examples", str(sizes["examples"])]
    return command + (["--heads", str(sizes["m"])] if told else [])


def slope(xs, ys):
    """The least squares slope of log y against log x and its standard error."""
    if min(ys) <= 0 or max(ys) == min(ys):
        return 0.0, 0.0
    u, v = [math.log(x) for x in xs], [math.log(y) for y in ys]
    mu, mv = statistics.fmean(u), statistics.fmean(v)
    spread = sum((a - mu) ** 2 for a in u)
    b = sum((a - mu) * (c - mv) for a, c in zip(u, v)) / spread
    rest = sum((c - mv - b * (a - mu)) ** 2 for a, c in zip(u, v))
    return b, math.sqrt(rest / (len(u) - 2) / spread)


def sizes_of(base, knob, value):
    sizes = {**base, knob: value}
    return {"rank": sizes["d"] // sizes["m"], **sizes}


def predicted_bytes(command):
    found = re.search(r"predicted to need (\S+) bytes", call(command + ["--memory-limit", "1"])[1])
    return float(found[1]) if found else math.nan


def measured(program, learner, template, knob, at, base, idle):
    """The cells of a row after its name."""
    used, operations, seconds, memory = [], [], [], []
    for value in at:
        sizes = sizes_of(base, knob, value)
        runs, peaks = [], []
        for seed in SEEDS:
            out, error, peak = call(command_of(program, template, sizes, seed, 1))
            if not out:
                raise SystemExit(f"{template[0].format(**sizes)}: {error.strip()}")
            runs.append(json.loads(out))
            peaks.append(peak)
        middle = statistics.median
        used.append(middle(run["examples_used"] or run["queries_used"] for run in runs))
        operations.append(middle(learner.operations(run, sizes) for run in runs))
        seconds.append(middle(learner.seconds(run) for run in runs))
        memory.append(max(middle(peaks) - idle, 2**20))
    largest = sizes_of(base, knob, at[-1])
    two = statistics.median(
        learner.seconds(json.loads(call(command_of(program, template, largest, seed, 2))[0])) for seed in SEEDS)
    predicted = predicted_bytes(command_of(program, template, largest, 1, 1))
    time_slope, error = slope(at, seconds)
    return (f"{slope(at, used)[0]:5.2f} {slope(at, operations)[0]:7.2f} {time_slope:6.2f} +-{error:5.2f} "
            f"{seconds[-1]:9.3g} {seconds[-1] / two:6.2f} {slope(at, memory)[0]:7.2f} {memory[-1] / 2**20:6.0f} "
            f"{predicted / 2**20:9.0f}")


def main():
    program = sys.argv[1]
    only = sys.argv[3] if sys.argv[2:3] == ["--only"] else None
    idle = call([program, "--version"])[2]
    print("                                                         growth of                    at the largest       growth  MiB")
    print(f"{'learner':18} {'with':9} {'values':28} {'used':>4} {'operat.':>7} {'seconds':>15} {'seconds':>9} {'2 thr.':>6} "
          f"{'memory':>7} {'taken':>6} {'predicted':>9}")
    for name, learner in LEARNERS.items():
        if only not in (None, name):
            continue
        for source, method, knob, at, told, base in learner.rows:
            begun = time.monotonic()
            cells = measured(program, learner, (source, method, told), knob, at, base, idle)
            print(f"{name:18} {knob:9} {' '.join(map(str, at)):28} {cells}", flush=True)
            print(f"{name}, {knob}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    print("\nOperations, up to a constant:")
    for name, learner in LEARNERS.items():
        print(f"  {name:18} {learner.formula}")


main()
