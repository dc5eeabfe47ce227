#!/usr/bin/env python3
"""query_table.py HARDHEAD: what learners by value queries take, on how many of 20 seeds they succeed (5 at d = 64), and
how large their errors are. A row is a family; numbers are the largest over seeds, intervals are exact (95%)."""
import json
import math
import subprocess
import sys

FAMILIES = (
    [(f"{name}:k=2,d=16,m={m}", "mobius", 20) for name in ("nice", "transformer") for m in (1, 2, 4, 8)]
    + [(f"nice:k=2,d=16,m={m}", "mobius", 20) for m in (3, 5, 6, 7)]
    + [(f"{name}:k=2,d=32,m={m}", "mobius", 20) for name in ("nice", "transformer") for m in (1, 4, 8, 16)]
    + [(f"{name}:k=2,d=64,m=8", "mobius", 5) for name in ("nice", "transformer")]
    + [(f"low-rank:k=2,d=16,rank=2,m={m}", "mobius", 20) for m in (1, 2, 4, 8)]
    + [(f"nice:d={d},m=1", "single", 20) for d in (8, 16, 32, 64)]
    + [("low-rank:d=64,rank=2,m=1", "single:rank=2", 20)]
    + [(f"parity:d=20,m={m}", "flip", 20) for m in (2, 4, 6)]
    + [(f"lwr:n={n},q=16", "flip", 20) for n in (4, 8)]
    + [(f"parity:d=8,m={m}", "rational", 20) for m in (2, 4)]
    + [(f"nice:d=8,m={m}", f"rational:arithmetic=double,most_heads={m}", 20) for m in (1, 2, 3, 4, 5, 6)]
)


def clopper_pearson(successes, trials):
    """The exact 95% interval of a share, by bisection of binomial tails."""

    def tail(share, least):
        return sum(math.comb(trials, i) * share**i * (1 - share) ** (trials - i) for i in range(least, trials + 1))

    def solve(least, level):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle, least) < level else (low, middle)
        return low

    low = 0.0 if successes == 0 else solve(successes, 0.025)
    high = 1.0 if successes == trials else solve(successes + 1, 0.975)
    return low, high


def largest(values):
    known = [value for value in values if value is not None]
    return f"{max(known):.2g}" if known else "-"


def row(program, family, learner, seeds):
    runs = []
    for seed in range(1, seeds + 1):
        command = [program, "learn", f"{family},seed={seed}", "--method", learner, "--seed", str(seed),
                   "--json", "--quiet"]
        runs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    recovered = sum(run["degree"] == "recovered" for run in runs)
    low, high = clopper_pearson(recovered, seeds)
    counts = sorted({run["queries_used"] for run in runs if run["degree"] == "recovered"})
    queries = "-" if not counts else str(counts[0]) if len(counts) == 1 else f"{counts[0]} .. {counts[-1]}"
    before = [step.get("test_error") for run in runs for step in run["phases"] if step["name"] == "features"]
    after = [run["test_error"] for run in runs]
    return (f"{family:34} {learner:38} {recovered:3} of {seeds:2} {low:5.2f} .. {high:4.2f} {queries:>14} "
            f"{largest(before):>9} {largest(after):>9}")


def main():
    print(f"{'family':34} {'learner':38} recovered    interval         queries    before     error", flush=True)
    for family in FAMILIES:
        print(row(sys.argv[1], *family), flush=True)


if __name__ == "__main__":
    main()
