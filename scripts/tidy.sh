#!/bin/bash
# tidy.sh [FILE]...: runs clang-tidy 19 with the checks of .clang-tidy over every source of the library, or over the named
# files. Exits with 1 if there is a warning. It takes half a minute for each file, because Eigen is parsed again for each
# of them, and an hour on two cores for all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${HARDHEAD_TIDY_BUILD:-build/tidy}
mkdir -p "$build"
# clang-tidy reads the files one by one, without precompiled headers and without batches.
cmake --preset clang -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DHARDHEAD_UNITY=OFF \
  >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
if [[ $# == 0 ]]; then set -- $(git ls-files '*.cc' | grep -v -E '^(tests|bench)/'); fi
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang-tidy-19 -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
