#!/bin/bash
# fuzz.sh [SECONDS] [TARGET]...: builds the fuzz targets (tests/fuzz, preset `fuzz`: clang 19 with libFuzzer and sanitizers)
# and runs each of them, or only the named ones, for the given number of seconds (default 60). Prints one line for each
# target. An input that breaks a target stays in build/fuzz/found. Add it to the corpus by hand, together with the fix.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
shift || true
if [[ $# == 0 ]]; then set -- $(basename -a tests/fuzz/corpus/*); fi

mkdir -p build/fuzz/found
cmake --preset fuzz >build/fuzz/configure.log 2>&1 || { cat build/fuzz/configure.log >&2; exit 1; }
cmake --build --preset fuzz -- --quiet "${@/%/_fuzz}"

scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
for target; do
  mkdir "$scratch/$target"
  if TMPDIR=$scratch "build/fuzz/tests/fuzz/${target}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" \
    "$scratch/$target" "tests/fuzz/corpus/$target" >"build/fuzz/$target.log" 2>&1; then
    outcome=clean
  else
    outcome="broken: $(grep -o 'build/fuzz/found/.*' "build/fuzz/$target.log" | tail -1)"
    status=1
  fi
  awk -v target="$target" -v outcome="$outcome" '
    /stat::number_of_executed_units/ { runs = $2 }
    /stat::average_exec_per_sec/ { rate = $2 }
    END { printf "%-14s %10d runs %7d/s  %s\n", target, runs, rate, outcome }' "build/fuzz/$target.log"
done
exit $status
