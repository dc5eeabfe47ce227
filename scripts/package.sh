#!/bin/bash
# package.sh [BUILD [BASELINE]]: makes Debian packages of a finished build (default build/release) in BUILD/packages. It
# unpacks each package and runs its contents, and installs nothing. With BASELINE, a build of the preset 'baseline', the
# package of the program is for any amd64 machine: it has that program, too, and becomes it on a CPU without AVX2. Exits with
# 77 if Debian's tools are missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:-$here/../build/release}" && pwd)
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  if ! command -v $tool >/dev/null; then
    echo "skipped: $tool is missing (Debian's packages: cmake, dpkg, dpkg-dev, file)"
    exit 77
  fi
done

if [[ -n ${2:-} ]]; then
  cmake "$build" -DHARDHEAD_BASELINE_PROGRAM="$(realpath "$2/hardhead")" >"$build/configure_package.log"
fi

packages=$build/packages
rm -rf "$packages"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! (cd "$build" && cpack -G DEB -B "$packages") >"$scratch/log" 2>&1; then
  cat "$scratch/log"
  exit 1
fi
rm -rf "$packages/_CPack_Packages"

fail() {
  echo "$1" >&2
  exit 1
}
depends_on() { # PACKAGE NAME
  dpkg-deb -f "$packages/$1"_*.deb Depends | grep -qE "(^|, )$2( |,|$)" || fail "$1 does not depend on $2"
}
for package in "$packages"/*.deb; do
  dpkg-deb -x "$package" "$scratch/root"
  echo "$(basename "$package"): $(dpkg-deb -f "$package" Depends)"
done

root=$scratch/root/usr
for library in libc6 coinor-libclp1 liblbfgs0 libtbb12 libgmp10; do depends_on hardhead $library; done
for library in libeigen3-dev libntl-dev coinor-libclp-dev; do depends_on libhardhead-dev $library; done
"$root/bin/hardhead" --version
"$root/bin/hardhead" learn nice:d=8,k=2,m=1 --method gauss-newton --heads 1 --quiet --require-recovery >"$scratch/learnt"
if [[ -e $root/libexec/hardhead/hardhead ]]; then
  # As on a CPU of 2006, where there is an emulator.
  old=()
  if command -v qemu-x86_64 >/dev/null; then old=(qemu-x86_64 -cpu core2duo); fi
  HARDHEAD_SIMD=baseline "${old[@]}" "$root/libexec/hardhead/hardhead" doctor
  "${old[@]}" "$root/bin/hardhead" --version
fi
for file in share/man/man1/hardhead.1 share/bash-completion/completions/hardhead share/zsh/site-functions/_hardhead \
  share/fish/vendor_completions.d/hardhead.fish \
  share/doc/hardhead/copyright share/doc/libhardhead-dev/copyright include/hardhead/learner/learner.h; do
  [[ -s $root/$file ]] || fail "$file is missing"
done
[[ -n $(find "$root" -name hardheadConfig.cmake) ]] || fail "hardheadConfig.cmake is missing"

if compgen -G "$packages/python3-hardhead_*" >/dev/null; then
  depends_on python3-hardhead python3-numpy
  depends_on python3-hardhead coinor-libclp1
  PYTHONPATH=$root/lib/python3/dist-packages /usr/bin/python3 -B -c \
    'import hardhead; assert hardhead.learn("nice:d=8,k=2,m=1", "gauss-newton", heads=1).recovered; print(hardhead.__file__)' |
    sed "s|$scratch/root||"
fi
