#!/usr/bin/env python3
"""recheck.py HARDHEAD [FILE...]: runs each committed row on a hard family again with twice its budget, on two seeds.

A row is one instance and one learner of a `hardhead compare` command in docs/results/*.txt (or in the files that are named).
Rows whose runs all learnt their layer are left out: more budget changes nothing about them. Twice the budget means twice
`--examples` where the command gives it, and twice the options that say how long the learner goes on. A row is flagged if one of
the two runs reaches a higher degree than every run of the committed row: then the row says less than the program can do. Exits
with 1 if a row is flagged.

--time-limit SECONDS ends each run (default 300). A row is printed as undecided if a run was ended early and none has
learnt its layer."""
import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys

HARD = ("parity", "lwr", "staircase", "lwe", "lpn")
DEGREES = ["nothing", "partly", "learnt", "recovered"]
# The options of learners that are their budget.
BUDGETS = ("oversampling", "starts", "steps")


def parse_method(text):
    name, _, options = text.partition(":")
    pairs = [option.split("=", 1) for option in options.split(",") if "=" in option]
    return name, dict(pairs)


def learner_options(program):
    """The options of every learner, with their defaults."""
    families = subprocess.run([program, "families", "--json"], capture_output=True, text=True, check=True).stdout
    return {method["name"]: {option["name"]: option["default"] for option in method["options"]}
            for method in json.loads(families)["methods"]}


def doubled(method, defaults):
    """The method with twice its budget."""
    name, options = parse_method(method)
    for option in BUDGETS:
        if option in defaults[name]:
            options[option] = f"{2 * float(options.get(option, defaults[name][option])):g}"
    return name + (":" + ",".join(f"{key}={value}" for key, value in options.items()) if options else "")


def best_degree(cell):
    """The highest degree in "learnt 4, nothing 1 of 5"; "recovered" tables of before say "0 of 10" and tell nothing more."""
    found = [degree for degree in DEGREES if re.search(rf"\b{degree}\b", cell)]
    return found[-1] if found else "nothing"


def rows_of(path):
    """(command, instance, learner, degree cell) of the rows of each compare command of a file."""
    command, header = None, None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("$ "):
            command, header = shlex.split(line[2:]), None
        elif not line.strip():
            command = None
        elif command and command[:2] == ["hardhead", "compare"]:
            cells = re.split(r"\s{2,}", line.strip())
            if header is None:
                header = cells
            elif len(cells) > 2:
                yield command, cells[0], cells[1], cells[2]


def flag_value(command, flag):
    return command[command.index(flag) + 1] if flag in command else None


def is_hard(instance):
    family = instance.partition(":")[0]
    return family in HARD or (family in ("path", "lwr-path") and re.search(r"\bt=1(\.0*)?(,|$)", instance))


def runs_again(program, defaults, row, time_limit):
    command, instance, learner, _ = row
    method = next(value for flag, value in zip(command, command[1:]) if flag == "--method" and learner.startswith(value))
    call = [program, "compare", instance, "--method", doubled(method, defaults), "--seeds", "2", "--json", "--quiet",
            "--time-limit", str(time_limit)]
    if examples := flag_value(command, "--examples"):
        call += ["--examples", str(2 * int(examples))]
    if heads := flag_value(command, "--heads"):
        call += ["--heads", heads]
    done = subprocess.run(call, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(call)}: exit code {done.returncode}: {done.stderr}")
    return call, json.loads(done.stdout)["rows"][0]


def check(program, path, time_limit):
    """Prints a line for each row of a file; returns how many are flagged."""
    flagged = 0
    defaults = learner_options(program)
    for committed in rows_of(path):
        _, instance, learner, cell = committed
        if not is_hard(instance) or re.fullmatch(r"(learnt|recovered) \d+ of \d+", cell):
            continue
        before = best_degree(cell)
        call, row = runs_again(program, defaults, committed, time_limit)
        degrees = [degree for degree in DEGREES if row["degrees"].get(degree, 0) > 0]
        now = degrees[-1] if degrees else "nothing"
        changed = DEGREES.index(now) > DEGREES.index(before)
        flagged += changed
        undecided = row["stopped"] and DEGREES.index(now) < DEGREES.index("learnt")
        verdict = "FLAGGED" if changed else "undecided (stopped)" if undecided else "stands"
        print(f"{verdict}: {instance}, {learner}: {cell}; with twice the budget {now}: {shlex.join(call[1:])}", flush=True)
    return flagged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--time-limit", type=float, default=300)
    options = parser.parse_args()
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "results")
    files = options.files or sorted(glob.glob(os.path.join(root, "*.txt")))
    flagged = sum(check(options.program, path, options.time_limit) for path in files)
    print(f"{flagged} rows flagged")
    return 1 if flagged else 0


if __name__ == "__main__":
    sys.exit(main())
