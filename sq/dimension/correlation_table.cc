#include "sq/dimension/correlation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/run/parallel.h"

namespace hardhead::sq {

CorrelationTable::CorrelationTable(const ConceptClass& members, const StopToken& stop)
    : bits_(members.bits()), size_(members.size()) {
  if (size_ > max_tabulated_members)
    throw InputError(fmt::format("correlations: {} members are more than {}", size_, max_tabulated_members));
  absolute_.resize(static_cast<std::size_t>(size_ * size_));
  parallel_for_each_index(size_, [&](std::int64_t f) {
    stop.check();
    for (std::int64_t g = f; g < size_; ++g)
      absolute_[static_cast<std::size_t>(f * size_ + g)] = std::abs(members.correlation(f, g));
  });
  for (std::int64_t f = 0; f < size_; ++f)
    for (std::int64_t g = 0; g < f; ++g) absolute_[static_cast<std::size_t>(f * size_ + g)] = absolute(g, f);
  for (std::int64_t f = 0; f < size_; ++f) {
    if (absolute(f, f) != norm() || norm() == 0)
      throw InputError(
          fmt::format("correlations: E[f^2] is {} for member {} and {} for member 0; one positive value is "
                      "expected",
                      to_string(dyadic(absolute(f, f), bits_)), f, to_string(rho())));
    for (std::int64_t g = 0; g < f; ++g) orthogonal_ = orthogonal_ && absolute(f, g) == 0;
  }
}

}  // namespace hardhead::sq
