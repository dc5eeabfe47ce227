#!/bin/bash
# suites.sh NAME: prints the suite NAME from its recipe; the output is study/problem/suites/NAME.txt. A published suite
# never changes: add a recipe with the next version instead.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

case "${1:-}" in
  nice-v1)
    purpose="Gaussian layers, most of them with stable ranks below what the upper bound asks for: what a learner should learn"
    specs=(nice:d={16,32,64},k={2,3},m={1..4},seed={1..5}
      nice:d=16,k=3,m=2,inputs={gaussian,sphere},seed={1..5})
    ;;
  nice-large-v1)
    purpose="Gaussian layers large enough to meet every condition of the upper bound, with all constants 1"
    specs=(nice:d=64,k=3,m=1,seed={1..10} nice:d=80,k=2,m=2,seed={1..10} nice:d=128,k=2,m={2,3},seed={1..10}
      nice:d=128,k=3,m=2,seed={1..10} nice:d=256,k=2,m=4,seed={1..10} nice:d=256,k=3,m=3,seed={1..10})
    ;;
  degraded-v1)
    purpose="Nice layers with one condition broken, further and further: which condition a learner needs"
    specs=(degraded:d=16,k=3,m=2,which={theta_{incoherence,stable_rank,diagonal,column,non_arithmetic,norm_ratio,norm},w_{incoherence,stable_rank,norm_ratio},label_noise},knob={0.25,0.5,0.75,1},seed={1..3})
    ;;
  parity-v1)
    purpose="The parity of a hidden set behind a public switch: hard for statistical queries, more so with d and m"
    specs=(parity:d={12..40..4},m={2..6},variant={exact,minimal},seed={1..5})
    ;;
  lwr-v1)
    purpose="Learning with rounding behind the switch: secrets of growing length, of which small ones can be found"
    specs=(lwr:n={2..8},q={4,16},p={2,4},seed={1..3} lwr:n={4..8},q={4,16},p={2,4},secret=binary,seed={1..3})
    ;;
  transformer-v1)
    purpose="Heads as standard implementations start them: low rank, as layers are before training"
    specs=(transformer:d={16,32,64,128},m={2,4,8},k=4,seed={1..5})
    ;;
  *)
    echo "usage: suites.sh nice-v1 | nice-large-v1 | degraded-v1 | parity-v1 | lwr-v1 | transformer-v1" >&2
    exit 2
    ;;
esac
echo "# $purpose"
exec "${HARDHEAD:-$here/../build/release/hardhead}" suite "${specs[@]}"
