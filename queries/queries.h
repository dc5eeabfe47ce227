#pragma once

/// Value queries: learning a layer F(X) = sum_i softmax(X Theta_i X^T) X W_i from its values at chosen X. It
/// is the third way to a layer, beside random examples (learner/) and statistical queries (sq/).
///
/// **Access is in the type.** A learner here gets a ValueOracle or an ExactOracle and a Task, nothing else; a
/// learner of examples gets a SampleSource. Neither can be handed the other's.
///
///     oracle/value_oracle.h   X in, F(X) out: a budget, counts of queries and tokens, fixed or free length
///     oracle/tolerance.h      what answers may be off by, and how it is used
///     learner.h               a learner by name, what it needs, what it is told; query()
///     report.h                what it hands back: an outcome is a value
///     mobius/mobius.h         m heads from two tokens of signs: the method and its proof (ours)
///     rational/heads.h        m heads as poles of a rational function, exact and in double
///     learners/               the learners by name: single, mobius, rational, flip, chain
///
/// # What is known
/// One head takes d^2 + d values, and O(r d) if Theta has rank r (S. Bhattamishra et al., arXiv 2601.16873,
/// ICML 2026); m heads a number that is polynomial in m and d (J. Kim, H. Kim and Y. Guo, arXiv 2608.03294).
/// There is no exponential in m, on layers where random examples cost (dk)^O(m^3) by the best algorithm with
/// a proof, and statistical queries d^Omega(m).
///
/// # What values cannot tell
/// For k = 2 the patterns of Theta and of -Theta add up to all ones, so {(Theta, W)} and {(-Theta, -W), (0, 2
/// W)} are one function. For every k heads of equal Theta are one head, and heads of W = 0 are none. Values
/// at real X tell all else, those at tokens of signs may not (attention/layer/canonical.h).
///
///     const hardness::Instance instance = hardness::make_instance(Spec::parse("nice:d=16,k=2,m=4"));
///     ValueOracle oracle(instance.teacher, 16, {.tokens = 2});
///     const Report report = query(Spec::parse("mobius"), oracle, Task{});
///     report.queries_used;      // mobius::all_queries(16, 4), and more for blocks that were given up
#include "queries/learner.h"
#include "queries/oracle/tolerance.h"
#include "queries/oracle/value_oracle.h"
#include "queries/report.h"
