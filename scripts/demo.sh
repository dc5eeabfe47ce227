#!/bin/bash
# Everything from a bare Debian 12 to the demonstration: installs, builds, runs `hardhead demo` with the
# arguments given.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$here/build.sh" hardhead
exec "$here/../build/release/hardhead" demo "$@"
