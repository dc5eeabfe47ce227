#pragma once

/// Learning with errors and its relatives: what instances of hardness/ are attacked with when examples are
/// read as equations. Everything here is exact (NTL), and a claimed secret is believed only when it has been
/// checked against the equations.
///
/// **Linear algebra over GF(2)** (gf2.h). A parity hidden behind labels,
///
///     <s, b^(n)> = v^(n)  (mod 2),   n = 1, 2, ..,
///
/// without noise is one linear equation an example, and elimination finds s as soon as the b^(n) span: n
/// uniform vectors of r bits span with probability prod_{i<r} (1 - 2^(i-n)), more than 1 - 2^(r-n).
/// This is why the SQ lower bounds of sq/ say nothing about algorithms that see examples.
///
///     std::vector<Gf2Equation> equations = ..;
///     const auto secret = solve_gf2(equations, d);
///     if (secret && secret->unique()) use(secret->x);
#include "lwe/gf2.h"
