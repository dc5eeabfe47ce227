#pragma once
#include "base/text/spec.h"
#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// A spec in the names of the literature and of lattice-estimator (M. Albrecht and others), rewritten in
/// ours:
///
///     m=M           samples=M
///     alpha=A       sigma = A q / sqrt(2 pi)  (Regev's alpha; that of Darmstadt's files is sigma / q)
///     Xs=LAW        secret=.. with its number
///     Xe=LAW        noise=.. with its number (sigma for Gaussian noise); of `lwe` alone, as alpha is
///
///     LAW                                                 ours
///     uniform, UniformMod, UniformMod(q)                  uniform
///     binary, Binary                                      binary: {0, 1}
///     ternary, Ternary                                    ternary
///     fixed-weight(H), SparseBinary(H)                    fixed-weight, weight=H
///     sparse-ternary(H), SparseTernary(H/2)               sparse-ternary, weight=H (H/2 of 1 and of -1)
///     binomial(ETA), CenteredBinomial(ETA)                binomial
///     gaussian(SIGMA), DiscreteGaussian(SIGMA)            gaussian
///
/// A leading "ND." is passed over, and LAW:NUMBER stands for LAW(NUMBER), which a shell wants in quotes.
/// Everything else stays as it is. Throws InputError naming the key and the value: a law that is not known or
/// lacks its number, a name given beside ours for the same thing.
Spec in_our_names(ProblemKind problem, const Spec& spec);

}  // namespace hardhead::lwe
