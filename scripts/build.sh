#!/bin/bash
# build.sh [-DOPTION=VALUE]... [TARGET]...: installs the packages that are missing, then configures and builds in
# build/release. Prints only errors unless stderr is a terminal.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$here/install.sh"
cd "$here/.."

options=() targets=()
for argument in "$@"; do
  if [[ $argument == -D* ]]; then options+=("$argument"); else targets+=("$argument"); fi
done

mkdir -p build
if ! cmake --preset release "${options[@]}" >build/configure.log 2>&1; then
  cat build/configure.log >&2
  exit 1
fi
quiet=(--quiet)
if [[ -t 2 ]]; then quiet=(); fi
ninja -C build/release "${quiet[@]}" "${targets[@]}" >&2
