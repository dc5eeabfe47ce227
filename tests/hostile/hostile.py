"""Hostile use of the command line: what once failed, damaged files, closed descriptors, devices, limits, signals,
misbehaving programs, killed ranks, failing system calls, names with escape sequences, the ends of every range. Nothing may crash, hang, destroy a file or leave one
half-written.

Usage: hostile.py HARDHEAD [--full] [--seed N] [--shim FAULTS.so] [CATEGORY..]
"""

import argparse
import sys

import corpus
import ends
import faults
import formats
import kills
import names
import programs
import ranks
import surroundings
from harness import Harness

categories = {module.__name__: module for module in (corpus, names, ends, formats, surroundings, kills, programs, ranks,
                                                      faults)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--full", action="store_true", help="all of it: half an hour, and hours for `ends`; else about two minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shim", help="the library that makes system calls fail (fault_shim.c)")
    parser.add_argument("categories", nargs="*", metavar="CATEGORY", help=", ".join(categories))
    options = parser.parse_intermixed_args()
    failures = 0
    for name in options.categories or categories:
        harness = Harness(options.program, options.full, options.seed, options.shim)
        try:
            categories[name].test(harness)
        finally:
            harness.close()
        for what, count in harness.counts.items():
            print(f"{name}: {what}: {count} cases", flush=True)
        failures += len(harness.failures)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
