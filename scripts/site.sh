#!/bin/bash
# site.sh OUT [BOOK]: makes the static site in the folder OUT, ready to be served from there: the page of the committed claims, the
# atlas (if docs/results/atlas has one), the book of docs/ (if Doxygen is there), and an index of them. It needs a build
# (scripts/build.sh) and no network; HARDHEAD names another program than build/release/hardhead. BOOK is the folder of a book
# that scripts/docs.sh has made before.
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
entries=""
entry() {  # FILE TITLE MEANING
  entries+="<li><a href=\"$1\">$2</a>: $3</li>"$'\n'
  echo "$out/$1"
}

rm -rf "$out/claims" "$out/atlas" "$out/book"
cp -r "$root/docs/results/claims" "$out/claims"
"$hardhead" report "$out/claims" -o "$out/claims/index.html" --style screen --quiet >/dev/null
entry claims/index.html "Claims and verdicts" "each claim with its criterion, its verdict, figures and the command that repeats it"
if [[ -f $root/docs/results/atlas/atlas.html ]]; then
  cp -r "$root/docs/results/atlas" "$out/atlas"
  entry atlas/atlas.html "The atlas" "which learner learns which family, and at what cost"
fi
book=${2:-$out/.book/html}
if [[ $# == 2 ]] || bash "$root/scripts/docs.sh" "$out/.book" >/dev/null; then
  cp -r "$book" "$out/book"
  entry book/index.html "The book" "how to use it, the mathematics, the results, the reference of the C++ headers"
elif ! command -v doxygen >/dev/null; then
  echo "the book is left out"
else
  exit 1
fi
rm -rf "$out/.book"

cat >"$out/index.html" <<END
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hardhead</title>
<style>$(cat "$root/study/report/page.css")</style>
</head>
<body>
<main>
<h1>hardhead</h1>
<p>How hard is it to learn a multi-head attention layer from examples, and what does each further head cost?</p>
<ul>
$entries</ul>
</main>
</body>
</html>
END
echo "$out/index.html"
