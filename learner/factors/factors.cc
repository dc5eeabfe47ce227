#include "learner/factors/factors.h"

namespace hardhead::learner {

using namespace attention;

Layer Factors::layer(const Stacked& parameters) const {
  Layer out{parameters.cols(), {}};
  const auto rows = [&](Index first, Index count) { return parameters.middleRows(first, count); };
  for (Index i = 0; i < m; ++i)
    out.heads.push_back({rows(query(i), form).transpose() * rows(key(i), form),
                         rows(values(i), value).transpose() * rows(output(i), value)});
  return out;
}

std::int64_t counting_bound(const Factors& factors, Index d, Index k) {
  return (factors.unknowns(d) + k * d - 1) / (k * d);
}

std::int64_t pattern_bound(const Factors& factors, Index d, Index k) {
  check_tokens(k);
  const Index weights = k * (k - 1);
  return (factors.form * (2 * d - factors.form) + weights - 1) / weights;
}

}  // namespace hardhead::learner
