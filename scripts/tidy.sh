#!/bin/bash
# tidy.sh [FILE]...: clang-tidy 19 with the checks of .clang-tidy over every source of the library, or over the files
# named; exits with 1 if it has anything to say. Half a minute a file, an hour of two cores: Eigen is parsed again for each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${HARDHEAD_TIDY_BUILD:-build/tidy}
mkdir -p "$build"
# Precompiled headers are the compiler's own: clang-tidy reads the files as they are.
cmake --preset clang -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DHARDHEAD_BUILD_BENCH=OFF >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
if [[ $# == 0 ]]; then set -- $(git ls-files '*.cc' | grep -v -E '^(tests|bench)/'); fi
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang-tidy-19 -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
