#!/bin/bash
# results.sh SECTION...: repeats the measurements of docs/results/ and prints each command, followed by its output. The
# output of a section is docs/results/SECTION.txt. Minutes on 2 quiet cores: first_steps 6, nice 2, sizes 10, paper 15,
# full_student 60, frugality 10, growth 10, long_ladders 240, certify 4, transformer 5, ranks 5, path 30, structured 1,
# lwe 30, queries 3, kill_sweep 1, claims 360 (hardhead reproduce --quick: 10).
# Sections with many runs keep a journal in build/journals and resume from it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sections=(first_steps nice sizes paper full_student frugality growth long_ladders certify transformer ranks path structured lwe queries kill_sweep claims)

show() {
  echo "\$ $*"
  "$@" 2>/dev/null
  echo
}
hardhead() { build/release/hardhead "$@" --quiet $([[ $1 == compare ]] && echo --wide); }
before_polish=(--measure hull_refined.hull_distance --measure net.test_error --measure polish.starts)
journals=build/journals

first_steps() { show python3 scripts/first_steps.py build/release/hardhead; }

nice() {
  for inputs in boolean gaussian sphere; do
    show hardhead compare nice:d=16,k=3,m=2,inputs=$inputs --method sculpt --method gauss-newton --seeds 20 "${before_polish[@]}"
  done
  for method in sculpt gauss-newton; do
    show hardhead learn tests/data/torch_mha_e16_h2_k3.safetensors --heads 2 \
      --truth tests/data/torch_mha_e16_h2_k3.layer.safetensors --method $method
  done
}

sizes() {
  show hardhead compare nice:d=16,k=2,m=3 nice:d=32,k=3,m=2 nice:d=16,k=2,m=4 nice:d=16,k=3,m=3 --method sculpt \
    --seeds 10 "${before_polish[@]}"
  show hardhead compare nice:d=32,k=3,m=3 --method sculpt --seeds 10 "${before_polish[@]}"
  show hardhead compare nice:d=64,k=2,m=2 nice:d=64,k=2,m=3 --method sculpt --seeds 3 "${before_polish[@]}"
  for m in 1 2 3 4; do show hardhead compare nice:d=16,k=3,m=$m --method gauss-newton --seeds 10; done
  show hardhead compare nice:d=64,k=4,m=4 --method gauss-newton --heads 4 --seeds 5
  show hardhead compare nice:d=32,k=4,m=8 --method gauss-newton --heads 8 --seeds 5
}

paper() {
  show hardhead compare nice:d=12,k=2,m=2 nice:d=16,k=2,m=2 --method paper --heads 2 --seeds 10 "${before_polish[@]}"
  show hardhead compare nice:d=16,k=3,m=2 --method paper --heads 2 --seeds 3 "${before_polish[@]}"
  show hardhead compare nice:d=16,k=2,m=3 --method paper --heads 3 --seeds 3 "${before_polish[@]}"
  show hardhead compare nice:d=6,k=2,m=2 nice:d=8,k=2,m=2 --method paper --heads 2 --seeds 10 "${before_polish[@]}"
}

full_student() {
  local all=(--seed 2001 --threads 1 --measure descent.steps --journal $journals/full_student.jsonl)
  for m in 2 3 4 5 6; do show hardhead compare parity:d=20,m=$m --method adam:until=0.0033 --seeds 10 "${all[@]}"; done
  show hardhead compare parity:d=20,m=7 --method adam:until=0.0033 --seeds 3 "${all[@]}"
  show hardhead compare parity:d=20,m=7 --method adam:until=0.0033,starts=2,steps=40000 --seeds 3 "${all[@]}"
  show hardhead compare parity:d=20,m=8 --method adam:until=0.0033,starts=2,steps=40000 --seeds 5 "${all[@]}"
  for m in 4 5; do show hardhead compare parity:d=32,m=$m --method adam:until=0.0033 --seeds 3 "${all[@]}"; done
  show hardhead compare parity:d=20,m=3,variant=minimal --method adam:until=0.0033 --seeds 10 "${all[@]}"
  for m in 2 4 6; do show hardhead compare parity:d=20,m=$m,variant=minimal --method adam:until=0.0007 --seeds 10 "${all[@]}"; done
  show hardhead compare lwr:n={2,3},q=16 --method adam:until=0.0017 --seeds 10 "${all[@]}"
  show hardhead compare lwr:n=4,q=16 --method adam:until=0.0017 --seeds 3 "${all[@]}"
  show hardhead compare nice:d=16,k=3,m=2 --method adam --seeds 10 "${all[@]}"
}

certify() { for d in 64 128 256 512; do show hardhead certify transformer:d=$d,m=8 --seeds 100; done; }

transformer() {
  show hardhead compare transformer:d={16,32},m={2,4} --method sculpt --method gauss-newton --seeds 10 --journal $journals/transformer.jsonl
}

# Heads in factors, whose ranks are told or found.
ranks() {
  local found=gauss-newton:ranks=found
  show hardhead compare transformer:d=32,k=4,m=4 --method gauss-newton:rank=8 --method $found --heads 4 --seeds 20 --threads 1
  show hardhead compare transformer:d=64,k=4,m=8 --method gauss-newton:rank=8 --method $found --heads 8 --seeds 20 --threads 1
  show hardhead compare low-rank:d=32,m=2 --method gauss-newton:rank=2,value_rank=32 --method $found --heads 2 --seeds 20 --threads 1
  show hardhead compare transformer:d=32,k=4,m=4 transformer:d=64,k=4,m=8 --method $found --seeds 20 --threads 1
}

path() {
  show hardhead compare lwr-path:n=6,q=4,p=2,secret=fixed-weight,weight=2,t={0,0.25,0.5,0.75,1} --heads 8 --seeds 3 \
    --method sculpt --method gauss-newton --method adam:until=0.0005 --time-limit 60 --threads 1 --journal $journals/path.jsonl
}

structured() {
  for family in diagonal block-diagonal low-rank; do show hardhead certify $family --seeds 10; done
  show hardhead compare diagonal block-diagonal low-rank --method phase1 --heads 2 --seeds 10
}

long_ladders() {
  [[ -f docs/results/atlas/long_ladders.jsonl ]] || xz -dk docs/results/atlas/long_ladders.jsonl.xz
  for instance in parity:d=32,m=5 lwr:n=4,q=16; do
    show hardhead best $instance --method adam --seeds 5 --wanted 5 --ladder-time 3600 --most-examples 100000000 \
      --threads 1 --journal docs/results/atlas/long_ladders.jsonl
  done
}

frugality() { show hardhead sweep docs/studies/frugality.toml --out $journals/frugality; }
growth() { show python3 scripts/growth.py build/release/hardhead; }
lwe() {
  for n in 8 16 24 32 40 44 48 52 56 60; do show hardhead lwe attack lwe:n=$n,q=12289,sigma=3.2,samples=$((2 * n)) --method all --time-limit 120; done
  for n in 3 4 6 8; do show hardhead lwe attack lwr:n=$n,q=16,p=2,samples=20000 --method all; done
  show hardhead lwe distinguish lwr:n=8,q=16,p=2 --method adam --examples 20000 --heads 8 --trials 20
  show hardhead lwe distinguish lwr:n=3,q=16,p=2 --method exhaustive --trials 200
}
queries() { show python3 scripts/query_table.py build/release/hardhead; }
kill_sweep() { show python3 scripts/kill_sweep.py build/release/hardhead; }
claims() { show hardhead reproduce --out build/claims; }

if [[ $# == 0 ]]; then
  echo "usage: results.sh SECTION...; sections: ${sections[*]}" >&2
  exit 2
fi
for section in "$@"; do
  if [[ " ${sections[*]} " != *" $section "* ]]; then
    echo "results.sh: no section '$section' (one of: ${sections[*]})" >&2
    exit 2
  fi
done
bash "$here/build.sh" hardhead
cd "$here/.."
mkdir -p $journals
for section in "$@"; do "$section"; done
