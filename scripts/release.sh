#!/bin/bash
# release.sh: the checks that take too long for each change (.ci/run): a release build with its benchmarks; assertions on; sanitizers; clang-tidy; the demonstration. Stops at the first that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash scripts/build.sh --developer -DHARDHEAD_WERROR=ON -DHARDHEAD_BUILD_BENCH=ON
bash scripts/test.sh
for preset in checked asan tsan; do
  cmake --preset $preset >build/configure_$preset.log
  cmake --build --preset $preset -- --quiet
  ctest --preset $preset --no-tests=error -j "$(nproc)"
done
bash scripts/tidy.sh
bash scripts/docs.sh
bash scripts/demo.sh
