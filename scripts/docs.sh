#!/bin/bash
# docs.sh [FOLDER]: makes the book in FOLDER/html (default build/docs/html): the pages of docs/ and the reference of all
# public headers. Fails on any warning: a public name without a comment, or a dead link. Exits with 77 if Doxygen is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v doxygen >/dev/null; then
  echo "doxygen is missing" >&2
  exit 77
fi
for page in "$here"/../docs/*.md "$here"/../docs/claims/*.md; do
  name=${page#"$here"/../}
  if ! grep -q "subpage page_$(tr / _ <<<"${name%.md}")\$" "$here/../docs/book.dox"; then
    echo "$page has no place in docs/book.dox" >&2
    exit 1
  fi
done
mkdir -p "${1:-$here/../build/docs}"
out=$(cd "${1:-$here/../build/docs}" && pwd)
cd "$here/.."
rm -rf "$out/html" "$out/source"
folders=(base attention sq lwe hardness learner study experiments)
HARDHEAD_BOOK=$out/html scripts/doxygen_filter "$out/source" README.md CHANGELOG.md CONTRIBUTING.md HACKING.md docs/*.md docs/claims/*.md docs/book.dox \
  docs/challenges/*.md examples/*.md $(find "${folders[@]}" -name '*.h' ! -name '*-inl.h')
(
  cd "$out/source"
  {
    cat "$here/../docs/Doxyfile"
    echo "OUTPUT_DIRECTORY = $out"
    echo "HTML_EXTRA_STYLESHEET = $here/../docs/book.css"
    echo "WARN_LOGFILE = $out/warnings.txt"
    echo "STRIP_FROM_INC_PATH = $PWD"
  } | doxygen -
)
if [[ -s $out/warnings.txt ]]; then
  cat "$out/warnings.txt" >&2
  exit 1
fi
python3 scripts/check_links.py "$out/html"
echo "$out/html/index.html"
