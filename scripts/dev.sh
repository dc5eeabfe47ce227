#!/bin/bash
# dev.sh FOLDER|FILE..: builds the tests of these folders or files, as in `dev.sh lwe learner/fits study/sweep/sweep.cc`, in
# build/dev (preset dev), and runs them. The first build takes minutes; after an edit it compiles what the edit changed.
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
  if [[ -d tests/$path ]]; then
    mapfile -t files < <(find "tests/$path" -name '*_test.cc')
  else
    path=${path%_test.*}
    files=("tests/${path%.*}_test.cc")
  fi
  if [[ ${#files[@]} == 0 || ! -f ${files[0]} ]]; then
    echo "dev.sh: no tests of '$argument': ${files[0]:-tests/$path} is missing" >&2
    exit 1
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
