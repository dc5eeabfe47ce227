#!/bin/bash
# Prints every measurement of docs/results.md: each command, then what it says. About half an hour on 2 cores.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$here/build.sh" hardhead forward_bench
cd "$here/../build/release"

show() {
  echo "\$ $*"
  "$@"
  echo
}
hardhead() { ./hardhead "$@" --quiet; }
before_polish=(--measure hull_refined.hull_distance --measure net.test_error --measure polish.starts)

show hardhead compare nice:d=16,k=3,m=2 --method sculpt --method gauss-newton --seeds 20 "${before_polish[@]}"
for inputs in gaussian sphere; do
  show hardhead compare nice:d=16,k=3,m=2,inputs=$inputs --method sculpt --method gauss-newton --seeds 20 "${before_polish[@]}"
done
show hardhead compare nice:d=16,k=2,m=3 nice:d=32,k=3,m=2 --method sculpt --examples 1000000 --seeds 10 "${before_polish[@]}"
show hardhead compare nice:d=16,k=2,m=3 nice:d=32,k=3,m=2 --method gauss-newton --seeds 10
for method in sculpt gauss-newton; do
  (cd "$here/.." && show build/release/hardhead learn tests/data/torch_mha_e16_h2_k3.safetensors --heads 2 \
    --truth tests/data/torch_mha_e16_h2_k3.layer.safetensors --method $method --quiet)
done
show hardhead compare parity:d=20,m=6,base=4 parity:d=20,m=6,base=4,variant=minimal --method sculpt --method gauss-newton --seeds 10
show hardhead compare parity:d=20,m=2,base=4,variant=minimal --method sculpt --method gauss-newton --heads 2 --seeds 10
for m in 3 4; do
  show hardhead compare parity:d=20,m=$m,base=4,variant=minimal --method sculpt --method gauss-newton --heads 4 --seeds 10
done
show bench/forward_bench --benchmark_min_time=1 2>/dev/null
