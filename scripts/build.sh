#!/bin/bash
# build.sh [--developer] [-DOPTION=VALUE].. [TARGET]..: installs the packages that are missing, then configures and builds
# the program and the libraries in build/release. With --developer the tests and the Python module are built as well, from
# then on in every build of that folder. Prints only errors unless stderr is a terminal.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."

sections=(program) options=() targets=()
for argument in "$@"; do
  case $argument in
    --developer) sections+=(python tests) options+=(-DHARDHEAD_DEVELOPER_MODE=ON) ;;
    -D*) options+=("$argument") ;;
    *) targets+=("$argument") ;;
  esac
done
bash "$here/install.sh" "${sections[@]}"

mkdir -p build
if ! cmake --preset release "${options[@]}" >build/configure.log 2>&1; then
  cat build/configure.log >&2
  exit 1
fi
quiet=(--quiet)
if [[ -t 2 ]]; then quiet=(); fi
ninja -C build/release "${quiet[@]}" "${targets[@]}" >&2
