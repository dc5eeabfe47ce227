#pragma once

/// What the learner `walsh` and the prediction of its cost share.
namespace hardhead::learner::walsh {

/// The chance, from unrelated labels, at which the set of largest correlation is taken for no accident.
inline constexpr double accident = 1e-6;
/// Most sets of a size that are tried unless the learner is told otherwise.
inline constexpr double most_sets = 1e8;
/// Of one set and one word of 64 examples: `learn hard-1h --method walsh:size=8 --threads 1`.
inline constexpr double seconds_a_word = 4.5e-9;
/// Examples that are read first; then twice as many, and so on.
inline constexpr int first_examples = 64;

/// C(features, size), in double: sets of that many features. 1 <= features, 0 <= size <= features.
double sets_of(double features, double size);

}  // namespace hardhead::learner::walsh
