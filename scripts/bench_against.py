#!/usr/bin/env python3
"""bench_against.py OLD NEW [ROUNDS]: two build folders with benchmarks, timed in pairs, in turn (default: 5 rounds).

Prints for each benchmark and command the median of both and the median of the rounds' ratios, and names what is more
than 10% slower in NEW: exit code 1. What OLD does not have is left out by name. scripts/bench.sh --against builds both.
"""
import json
import os
import statistics
import subprocess
import sys
import time

slower = 1.1

# One of each kernel, on one core, and whole runs of learners.
benchmarks = """
    forward_bench forward_blocks/d:32/k:3/m:3/inputs:0/simd:0
    forward_bench forward_blocks/d:32/k:3/m:3/inputs:1/simd:0
    gauss_newton_bench normal_product/d:32/k:3/m:3/threads:1/real_time
    harvest_bench certify_file/d:32/k:3/m:3/threads:1/real_time
    hull_bench hull/d:16/k:3/m:2/rows:4000/threads:1/real_time
    student_bench descent/d:20/heads:32/batch:512/diagonal:0/distinct:0/threads:1/real_time
    walsh_hadamard_bench single/n:20/threads:1/real_time
    enumerate_bench query_of_24_bits/threads:1/real_time
    exact_bench evaluate_exactly/d:20/m:6
    junta_search_bench search_for_a_junta/d:64/m:4
    lwe_samples_bench lwe_samples/n:256
    lattice_bench attack_with/ntl/n:32/real_time
"""
commands = """
    learn nice:d=32,k=3,m=3 --method gauss-newton
    learn nice:d=16,k=3,m=2 --method sculpt
    learn nice:d=128,k=2,m=4 --method mobius
"""


def seconds_of_benchmark(build, program, name):
    """Of one call; None where the build has no such benchmark."""
    path = os.path.join(build, "bench", program)
    if not os.path.exists(path):
        return None
    done = subprocess.run([path, f"--benchmark_filter=^{name}$", "--benchmark_format=json",
                           "--benchmark_min_time=0.2"], capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout.strip():
        return None
    rows = json.loads(done.stdout)["benchmarks"]
    return rows[0]["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[rows[0]["time_unit"]] if rows else None


def seconds_of_command(build, words):
    begun = time.monotonic()
    done = subprocess.run([os.path.join(build, "hardhead"), *words, "--quiet", "--threads", "1"],
                          capture_output=True, text=True)
    return time.monotonic() - begun if done.returncode == 0 else None


def main(arguments):
    if len(arguments) not in (2, 3) or (len(arguments) == 3 and not arguments[2].isdigit()):
        sys.exit("usage: bench_against.py OLD NEW [ROUNDS]")
    builds, rounds = arguments[:2], int(arguments[2]) if len(arguments) == 3 else 5
    measures = [(line, seconds_of_benchmark, line.split()) for line in benchmarks.strip().splitlines()]
    measures += [(line, seconds_of_command, [line.split()]) for line in commands.strip().splitlines()]
    worse = []
    print("old s      new s      new / old")
    for line, measure, words in measures:
        name, pairs = " ".join(line.split()), []
        for turn in range(rounds):
            order = (0, 1) if turn % 2 == 0 else (1, 0)
            pair = [None, None]
            for which in order:
                pair[which] = measure(builds[which], *words)
            pairs.append(pair)
            if None in pair:
                break
        if None in pairs[-1]:
            print(f"{'-':10} {'-':10} {'-':9}  {name}: not in {builds[0 if pairs[-1][0] is None else 1]}", flush=True)
            continue
        ratio = statistics.median(new / old for old, new in pairs)
        medians = [statistics.median(pair[which] for pair in pairs) for which in (0, 1)]
        print(f"{medians[0]:<10.3g} {medians[1]:<10.3g} {ratio:<9.2f}  {name}", flush=True)
        if ratio > slower:
            worse.append(name)
    for name in worse:
        print(f"more than {round(100 * (slower - 1))}% slower: {name}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
