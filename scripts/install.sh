#!/bin/bash
# install.sh SECTION..: installs the packages of these sections of scripts/packages.txt that this machine lacks. If none
# is missing, it uses no network and prints nothing. With --list in front it only prints the names of the missing ones.
# HARDHEAD_NO_INSTALL=1 skips the check, for systems where the libraries come from elsewhere.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ ${HARDHEAD_NO_INSTALL:-0} == 1 ]]; then exit 0; fi

list_only=no
if [[ ${1:-} == --list ]]; then list_only=yes && shift; fi
wanted=()
for section in "$@"; do
  if ! grep -qxF "[$section]" "$here/packages.txt"; then
    echo "install.sh: scripts/packages.txt has no section '$section'" >&2
    exit 2
  fi
  mapfile -t -O ${#wanted[@]} wanted < <(sed -e "1,/^\[$section\]$/d" "$here/packages.txt" | sed -e '/^\[/,$d' -e 's/#.*//' -e '/^$/d')
done

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
if [[ $list_only == yes ]]; then
  echo "${missing[*]}"
  exit 0
fi

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
