#include "learner/fits/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hardhead::learner {

Split split(std::int64_t examples) {
  const std::int64_t held_back = std::max<std::int64_t>(1, examples / 10);
  return {examples - held_back, held_back};
}

Split stream_split(std::int64_t examples) {
  const std::int64_t held_back = std::min(most_held_back, split(examples).held_back);
  return {examples - held_back, held_back};
}

std::int64_t examples_for(std::int64_t least, double oversampling, std::int64_t floor) {
  return std::max(floor, static_cast<std::int64_t>(std::ceil(oversampling * static_cast<double>(least))));
}

std::int64_t examples_for(Index d, Index k, Index m, double oversampling) {
  return examples_for(std::max(counting_bound(d, k, m), pattern_bound(d, k)), oversampling);
}

std::vector<Rung> oversampling_ladder(const Spec& method, const std::vector<int>& oversamplings) {
  constexpr Index wide_student = 16;
  std::vector<Rung> rungs;
  for (const int oversampling : oversamplings) {
    const auto setting = [&](Index student) {
      return with_options(method, {{"oversampling", fmt::format("{}", oversampling)},
                                   {"student", fmt::format("{}", student)}});
    };
    Rung& rung = rungs.emplace_back();
    rung.settings.push_back(setting(0));
    if (rungs.size() > 1) rung.settings.push_back(setting(wide_student));
  }
  return rungs;
}

std::vector<Matrix> random_thetas(const Stream& stream, std::uint64_t item, Index d, Index m, double norm) {
  std::vector<double> numbers(static_cast<std::size_t>(m * d * d));
  stream.normals(item, numbers);
  std::vector<Matrix> thetas;
  for (Index i = 0; i < m; ++i) {
    thetas.emplace_back(Eigen::Map<const Matrix>(numbers.data() + i * d * d, d, d));
    thetas.back() *= norm / thetas.back().norm();
  }
  return thetas;
}

std::vector<Matrix> start_thetas(const Stream& stream, std::uint64_t item, Index d, Index m, double norm,
                                 int start) {
  constexpr double longer = 8, off_diagonal = 0.05;
  std::vector<Matrix> thetas = random_thetas(stream, item, d, m, norm);
  const bool is_diagonal = start % 2 == 1;
  if (!is_diagonal) return thetas;
  for (Matrix& theta : thetas) {
    const Vector diagonal = theta.diagonal();
    theta *= off_diagonal;
    theta.diagonal() = diagonal;
    theta *= longer * norm / theta.norm();
  }
  return thetas;
}

}  // namespace hardhead::learner
