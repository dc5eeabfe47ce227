#!/usr/bin/env bash
# Hostile use of the command line, all of it: half an hour, and hours for `ends`. Arguments go to tests/hostile/hostile.py
# (--seed N, names of categories); ctest runs a short part as `hostile.CATEGORY`.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
ninja -C "$build" hardhead fault_shim
exec python3 -B tests/hostile/hostile.py "$build/hardhead" --full --shim "$build/tests/libfault_shim.so" "$@"
