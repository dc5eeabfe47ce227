#!/usr/bin/env bash
# ladder.sh DIR: makes a ladder of challenges in DIR, the specs of docs/challenges/ with secrets of its own. Nobody keeps them.
set -euo pipefail
program="${HARDHEAD:-$(cd "$(dirname "$0")/.." && pwd)/build/release/hardhead}"
dir="$1"
mkdir -p "$dir"

make() { # NAME SPEC EXAMPLES
  "$program" challenge make "$2" -n "$3" -o "$dir/$1.safetensors"
}
examples=1048576 # of families with a switch: labels are half as many bits

for size in 24:4 24:6 32:6 40:8 48:10 56:11 64:12; do
  make "$(printf 'parity-d%02d-m%02d' "${size%:*}" "${size#*:}")" "parity:d=${size%:*},m=${size#*:}" $examples
done
for n in 8 12 16 24 28 30 32 36 40; do
  make "$(printf 'lwr-n%02d' $n)" "lwr:n=$n,q=16,p=2" $examples
done
for n in 24 32 48 64 96 128 160 176 192 224 272; do
  make "$(printf 'lpn-n%03d' $n)" "lpn:n=$n,rate=0.125" $examples
done
for size in 160:10 224:14; do # a parity with noise
  make "sparse-n${size%:*}-w${size#*:}" "lpn:n=${size%:*},secret=fixed-weight,weight=${size#*:},rate=0.125" $examples
done
# 2 m d^2 unknown numbers over k d a label are 10.7 m examples: three times as many, and a third more.
for m in 4 6 8 12 16; do
  make "$(printf 'nice-m%02d' $m)" "nice:d=16,k=3,m=$m" $((32 * m))
done
for m in 4 8; do
  make "$(printf 'nice-m%02d-mid' $m)" "nice:d=16,k=3,m=$m" $((20 * m))
done
for m in 4 8 16; do
  make "$(printf 'nice-m%02d-few' $m)" "nice:d=16,k=3,m=$m" $((14 * m))
done
for n in 40 60 80 100 120 180 260; do
  "$program" challenge make "lwe:n=$n,q=12289,sigma=3.2,samples=$((2 * n))" -o "$dir/$(printf lwe-n%03d $n).json"
done
