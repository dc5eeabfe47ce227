#!/bin/bash
# Runs every benchmark and writes JSON files (Google Benchmark's format) and the tables of the programs that measure
# speed to a folder:
#
#     scripts/bench.sh [OUT] [FILTER]      # default: bench-results, all; FILTER: a regular expression of program names
#     scripts/bench.sh --against COMMIT    # builds both, times a dozen in pairs, and names what is 10% slower
#
# The LibTorch programs for comparison are built and run if libtorch-dev and libopenblas0-pthread are installed.
# docs/performance.md explains the figures. Run it on an idle machine: other work changes the times.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ ${1:-} == --against ]]; then
  top=$here/..
  commit=$(git -C "$top" rev-parse --verify --quiet "${2:?bench.sh --against COMMIT}^{commit}") ||
    { echo "bench.sh: '$2' is no commit of this clone" >&2; exit 2; }
  old=$top/build/against/$commit
  [[ -e $old ]] || git -C "$top" worktree add --quiet --detach "$old" "$commit"
  for tree in "$old" "$top"; do bash "$tree/scripts/build.sh" -DHARDHEAD_BUILD_BENCH=ON; done
  exec python3 -B "$here/bench_against.py" "$old/build/release" "$top/build/release"
fi
out=${1:-bench-results}
filter=${2:-.}
mkdir -p "$out"
out=$(cd "$out" && pwd)
torch=OFF
if [[ -e /usr/include/torch/csrc/api/include/torch/torch.h ]] && compgen -G '/usr/lib/*/libopenblas.so.0' >/dev/null; then
  torch=ON
fi
# OpenBLAS takes a CPU that is newer than itself for one without AVX: LibTorch would be five times slower.
if grep -q avx512f /proc/cpuinfo; then export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SKYLAKEX}; fi
bash "$here/build.sh" --developer -DHARDHEAD_BUILD_BENCH=ON -DHARDHEAD_TORCH_BENCH=$torch
build=$here/../build/release/bench

# run NAME FILE COMMAND...: runs the command and writes its output to the file.
run() {
  local name=$1 file=$out/$2
  shift 2
  if [[ ! $name =~ $filter ]]; then return; fi
  echo "$name" >&2
  "$@" >"$file"
}

for program in "$build"/*_bench "$build"/torch/*_bench; do
  [[ -x $program ]] || continue
  name=$(basename "$program")
  run "$name" "$name.txt" "$program" --benchmark_out="$out/$name.json" --benchmark_out_format=json \
    --benchmark_repetitions=3 --benchmark_enable_random_interleaving=true
done
if [[ $torch == ON ]]; then
  for threads in 1 2; do
    run torch_learners "torch_learners_$threads.md" "$build/torch/torch_learners" 10 0 $threads
  done
fi
