#!/usr/bin/env python3
"""best_table.py HARDHEAD JOURNAL [--threads N] [--only PREFIX]: the best shot of every learner at every family, as a table.

A cell is one `hardhead best` on 5 fresh layers, of which all have to be learnt. `adam`, told nothing or that every Theta_i is
diagonal, is given 240 s of runs for its ladder, the other learners 120 s; a run takes a quarter of that at most. The command of a
cell is printed with --commands. The journal has all runs, and a cell whose runs are there takes no time.

Families come in series that get harder. Once a learner has failed at two members of a series, the rest of the series is not tried,
and its cells say so."""
import argparse
import json
import subprocess
import sys

LEARNERS = {"sculpt": 120, "gauss-newton": 120, "lbfgs": 120, "sgd": 120, "adam": 240, "adam:theta=diagonal": 240}
SERIES = (
    [[f"nice:d=16,k=2,m={m}" for m in (2, 4, 8)]]
    + [["transformer:d=16,m=4"], ["path:d=12,m=2,variant=minimal,t=0.5", "path:d=12,m=6,variant=minimal,t=0.5"]]
    + [[f"parity:d={d},m={m}" for m in range(2, 9)] for d in (12, 20, 32)]
    + [[f"lwr:n={n},q=16" for n in range(2, 9)]]
)
SEEDS = 5
FAILURES = 2  # of a series, after which a learner is not tried any more


def command(arguments, instance, learner):
    return [arguments.program, "best", instance, "--method", learner, "--seeds", str(SEEDS), "--ladder-time",
            str(LEARNERS[learner]), "--journal", arguments.journal, "--threads", str(arguments.threads)]


def shot(arguments, instance, learner):
    run = subprocess.run([*command(arguments, instance, learner), "--json", "--quiet"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["shots"][0]


def count(number):
    """A number of examples: 309k, 4.7M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.0f}"


def seconds(number):
    return f"{number:.2g} s" if number < 99.5 else f"{number:.0f} s"


def cell(found):
    """ "learnt 5 of 5: 309k, 1.1 s", or what the last rung of a ladder that failed was allowed."""
    if found["budget"]:
        return f"{found['degree']} {found['successes']} of {SEEDS}: {count(found['budget']['examples'])}, {seconds(found['budget']['seconds'])}"
    runs = [run for rung in found["ladder"] for run in rung["tuning"] + rung["fresh"]]
    most = max((run["examples_used"] for run in runs), default=0)
    spent = sum(rung["seconds"] for rung in found["ladder"])
    return f"{found['degree'] or 'nothing'}; up to {count(most)}, {seconds(spent)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("journal")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", metavar="PREFIX", help="series whose first instance begins with this")
    parser.add_argument("--commands", action="store_true", help="print each cell's command beside the table")
    arguments = parser.parse_args()

    print(f"{'instance':38} " + " ".join(f"{learner:28}" for learner in LEARNERS).rstrip())
    for series in SERIES:
        if not series[0].startswith(arguments.only):
            continue
        failed = dict.fromkeys(LEARNERS, 0)
        for instance in series:
            cells = []
            for learner in LEARNERS:
                if failed[learner] >= FAILURES:
                    cells.append("not tried")
                    continue
                if arguments.commands:
                    print(" ".join(command(arguments, instance, learner)), file=sys.stderr)
                found = shot(arguments, instance, learner)
                failed[learner] += found["budget"] is None
                cells.append(cell(found))
            print(f"{instance:38} " + " ".join(f"{text:28}" for text in cells).rstrip(), flush=True)


if __name__ == "__main__":
    main()
