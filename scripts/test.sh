#!/bin/bash
# Goes from a bare Debian 12 or 13 to a tested build: installs packages, builds, and runs the tests. Arguments go to ctest.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$here/build.sh" --developer
bash "$here/install.sh" optional || echo "tests that need these packages are skipped" >&2
exec ctest --test-dir "$here/../build/release" --output-on-failure --no-tests=error -j "$(($(nproc) + 1))" "$@"
