#!/bin/bash
# coverage.sh [CTEST ARGUMENT]...: builds with counters (preset `coverage`), runs the tests, and prints for each folder of
# the library how many of its lines they ran. Needs Debian's gcovr. It is slow, because of the counters and without -O3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${HARDHEAD_COVERAGE_BUILD:-build/coverage}
mkdir -p "$build"
cmake --preset coverage -B "$build" >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
cmake --build "$build" -- --quiet
find "$build" -name '*.gcda' -delete
status=0
# The test with a full disk is left out: it limits the size of files, which would truncate the files of counters.
ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 3000 -E AFullDiskIsSaid "$@" >"$build/ctest.log" 2>&1 || status=$?
tail -n 5 "$build/ctest.log"
gcovr --root . --object-directory "$build" --filter '(app|attention|base|hardness|learner|lwe|sq|study)/' \
  --exclude-throw-branches --json-summary "$build/coverage.json" >/dev/null
python3 - "$build/coverage.json" <<'PYTHON'
import collections, json, sys
lines, covered = collections.Counter(), collections.Counter()
for file in json.load(open(sys.argv[1]))["files"]:
    for folder in (file["filename"].split("/")[0], "all"):
        lines[folder] += file["line_total"]
        covered[folder] += file["line_covered"]
for folder in sorted(lines, key=lambda f: (f == "all", f)):
    print(f"{folder:10} {covered[folder]:6} of {lines[folder]:6} lines  {100 * covered[folder] / lines[folder]:5.1f}%")
PYTHON
exit $status
