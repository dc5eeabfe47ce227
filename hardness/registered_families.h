#pragma once
#include "hardness/family.h"

/// One maker for each family: defined in the family's own file, listed in family.cc.
namespace hardhead::hardness::detail {

Family nice_family();
Family diagonal_family();
Family block_diagonal_family();
Family low_rank_family();
Family orthogonal_family();
Family permutation_family();
Family transformer_family();
Family degraded_family();
Family path_family();
Family lwr_path_family();
Family parity_family();
Family lwr_family();
Family staircase_family();
Family lwe_family();
Family lpn_family();

}  // namespace hardhead::hardness::detail
