#!/bin/bash
# Goes from a bare Debian 12 or 13 to the demonstration: installs packages, builds, and runs `hardhead demo` with the given
# arguments.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$here/build.sh" hardhead
exec "$here/../build/release/hardhead" demo "$@"
