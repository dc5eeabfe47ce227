#!/bin/bash
# dev.sh FOLDER|FILE..: builds the tests of these folders or files, as in `dev.sh lwe learner/fits study/sweep/sweep.cc`, in
# build/dev (preset dev), and runs them. A file without a test of its name has those of its folder. The first build takes
# minutes; after an edit it compiles what the edit changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ $# == 0 ]]; then
  echo "usage: dev.sh FOLDER|FILE.., as in: dev.sh lwe learner/fits study/sweep/sweep.cc" >&2
  exit 2
fi

targets=() tests=()
for argument in "$@"; do
  path=${argument#tests/}
  path=${path%/}
  floor=${path%%/*}
  if [[ ! -e $path && ! -e tests/$path ]]; then
    echo "dev.sh: there is no '$argument'" >&2
    exit 2
  fi
  files=()
  if [[ ! -d $path ]]; then
    stem=${path%.*}
    mapfile -t files < <(find "tests/${stem%_test}_test.cc" 2>/dev/null)
    path=${path%/*}
  fi
  while [[ ${#files[@]} == 0 && $path == */* ]]; do
    mapfile -t files < <(find "tests/$path" -name '*_test.cc' 2>/dev/null)
    path=${path%/*}
  done
  if [[ ${#files[@]} == 0 ]]; then mapfile -t files < <(find "tests/$path" -name '*_test.cc' 2>/dev/null); fi
  if [[ ${#files[@]} == 0 ]]; then
    echo "dev.sh: '$argument' has no tests" >&2
    exit 2
  fi
  suites=$(sed -nE 's/^(TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\((\w+),?.*/\2/p' "${files[@]}" | sort -u | paste -sd '|')
  targets+=("${floor}_tests")
  if [[ $floor == app ]]; then targets+=(hardhead); fi
  tests+=("$floor[.]([^/]*/)?($suites)[.]")
done

if [[ ! -f build/dev/build.ninja ]]; then
  mkdir -p build
  cmake --preset dev >build/configure_dev.log || { cat build/configure_dev.log >&2; exit 1; }
fi
ninja -C build/dev --quiet "${targets[@]}"
exec ctest --test-dir build/dev --output-on-failure --no-tests=error -j "$(nproc)" -R "^($(IFS='|'; echo "${tests[*]}"))"
