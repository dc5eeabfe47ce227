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

missing=() in_fedora=()
for entry in "${wanted[@]}"; do
  read -r names fedora <<<"$entry"
  IFS='|' read -ra choices <<<"$names"
  met=no
  if command -v dpkg-query >/dev/null; then
    for package in "${choices[@]}"; do
      if installed "$package"; then met=yes; fi
    done
  fi
  if [[ $met == no ]]; then missing+=("${choices[0]}") in_fedora+=("${fedora:-?}"); fi
done
if [[ ${#missing[@]} == 0 ]]; then exit 0; fi
if [[ $list_only == yes ]]; then
  echo "${missing[*]}"
  exit 0
fi

system=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_ID:-}" || echo unknown)
if ! command -v apt-get >/dev/null; then
  cat >&2 <<MESSAGE
This is '$system', and packages are installed by apt-get only. Missing, by their names in Debian:
  ${missing[*]}
and in Fedora (? where the name is not known):
  ${in_fedora[*]}
Install them, then run this again with HARDHEAD_NO_INSTALL=1.
MESSAGE
  exit 1
fi
case $system in
  "debian 12" | "debian 13" | "ubuntu 24.04") ;;
  *) echo "This is '$system', where hardhead was not tried: Debian 12, Debian 13 and Ubuntu 24.04 are known." >&2 ;;
esac

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
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >"$log" 2>&1 || { cat "$log" >&2 && exit 1; }; }
apt update
known=() unknown=()
for package in "${missing[@]}"; do
  if [[ -n $(apt-cache madison "$package" 2>/dev/null) ]]; then known+=("$package"); else unknown+=("$package"); fi
done
if [[ ${#known[@]} -gt 0 ]]; then
  echo "installing ${#known[@]} packages" >&2
  apt install -y --no-install-recommends "${known[@]}"
fi
if [[ ${#unknown[@]} -gt 0 ]]; then
  echo "This is '$system', which has no package of these names: ${unknown[*]}" >&2
  exit 1
fi
