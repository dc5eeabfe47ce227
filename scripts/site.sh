#!/bin/bash
# site.sh OUT [BOOK]: makes the static site in the folder OUT, ready to be served from there: the page of the committed claims,
# a page for each learner, family and rung, the atlas (if docs/results/atlas has one), the book of docs/ (if Doxygen is there),
# and README.md as the first page. It needs a build (scripts/build.sh) and no network; HARDHEAD names another program than
# build/release/hardhead. BOOK is the folder of a book that scripts/docs.sh has made before.
set -euo pipefail
if [[ $# != 1 && $# != 2 ]]; then
  echo "usage: scripts/site.sh OUT [BOOK]" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
hardhead=${HARDHEAD:-$root/build/release/hardhead}
if [[ ! -x $hardhead ]]; then
  echo "$hardhead is missing: scripts/build.sh makes it" >&2
  exit 2
fi
if [[ -e $1 && ! -e $1/.hardhead-site && -n $(ls -A "$1") ]]; then
  echo "$1 is no folder that this script has made, and it is not empty: nothing is written there" >&2
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
touch "$out/.hardhead-site"
cp "$root/CITATION.bib" "$root/LICENSE" "$out"

rm -rf "$out/claims" "$out/atlas" "$out/book" "$out/reference"
cp -r "$root/docs/results/claims" "$out/claims"
"$hardhead" report "$out/claims" -o "$out/claims/index.html" --style screen --quiet >/dev/null
echo "$out/claims/index.html"
if [[ -f $root/docs/results/atlas/atlas.html ]]; then
  cp -r "$root/docs/results/atlas" "$out/atlas"
  echo "$out/atlas/atlas.html"
fi
book=${2:-$out/.book/html}
if [[ $# == 2 ]] || bash "$root/scripts/docs.sh" "$out/.book" >/dev/null; then
  cp -r "$book" "$out/book"
  echo "$out/book/index.html"
elif ! command -v doxygen >/dev/null; then
  echo "the book is left out"
else
  exit 1
fi
rm -rf "$out/.book"

python3 "$root/scripts/site_pages.py" "$out" "$hardhead"
echo "$out/reference/index.html"
python3 "$root/scripts/site_index.py" "$out" >"$out/index.html"
echo "$out/index.html"
