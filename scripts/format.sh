#!/bin/bash
# format.sh: formats every C++ file of the tree. format.sh --check: changes nothing, and fails if a file would change.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."

mode=(-i)
case "${1:-}" in
  "") ;;
  --check) mode=(--dry-run --Werror) ;;
  *)
    echo "usage: format.sh [--check]" >&2
    exit 2
    ;;
esac

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.h' '*.cc')
else
  mapfile -t files < <(find . -path ./build -prune -o \( -name '*.h' -o -name '*.cc' \) -print)
fi
present=()
for file in "${files[@]}"; do
  if [[ -f $file ]]; then present+=("$file"); fi
done
clang-format-19 "${mode[@]}" "${present[@]}"
