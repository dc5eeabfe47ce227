#!/bin/bash
# Installs the packages of scripts/packages.txt that this machine lacks. If none is missing, it uses no network and
# prints nothing. install.sh --optional installs the packages that the list marks with `?` instead.
# HARDHEAD_NO_INSTALL=1 skips the check, for systems where the libraries come from elsewhere.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ ${HARDHEAD_NO_INSTALL:-0} == 1 ]]; then exit 0; fi

if [[ ${1:-} == --optional ]]; then only=(-e '/?$/!d' -e 's/?$//'); else only=(-e '/?$/d'); fi
mapfile -t wanted < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "${only[@]}" "$here/packages.txt")

installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

missing=()
for entry in "${wanted[@]}"; do
  IFS='|' read -ra choices <<<"$entry"
  met=no
  if command -v dpkg-query >/dev/null; then
    for package in "${choices[@]}"; do
      if installed "$package"; then met=yes; fi
    done
  fi
  if [[ $met == no ]]; then missing+=("${choices[0]}"); fi
done
if [[ ${#missing[@]} == 0 ]]; then exit 0; fi

system=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_ID:-}" || echo unknown)
if [[ $system != "debian 12" ]] || ! command -v apt-get >/dev/null; then
  cat >&2 <<MESSAGE
This is '$system'; packages are installed on Debian 12 only. Missing, by their Debian names:
  ${missing[*]}
Install the like of them, then run this again with HARDHEAD_NO_INSTALL=1.
MESSAGE
  exit 1
fi

if [[ $(id -u) == 0 ]]; then
  root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  root=(sudo -n)
else
  echo "Packages are missing. As root, run:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >"$log" 2>&1; }
echo "installing ${#missing[@]} packages" >&2
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
  cat "$log" >&2
  exit 1
fi
