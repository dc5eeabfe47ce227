#include "learner/oracle/tolerance.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/error.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;

void add_uniform(double tau, std::uint64_t first, const Stream& noise, Block& block) {
  const Index d = block.d();
  std::vector<double> u(static_cast<std::size_t>(block.k * d));
  for (Index n = 0; n < block.count; ++n) {
    noise.uniforms(first + static_cast<std::uint64_t>(n), u);
    for (Index a = 0; a < block.k; ++a)
      for (Index f = 0; f < d; ++f)
        block.y(f, block.column(a, n)) += tau * (2 * u[static_cast<std::size_t>(a * d + f)] - 1);
  }
}

}  // namespace

void Tolerance::validate() const {
  if (!(tau >= 0) || !std::isfinite(tau))
    throw InputError(fmt::format("tolerance = {}: a finite number of at least 0 is expected", tau));
}

void Tolerance::apply(std::uint64_t first, const Stream& noise, Block& block) const {
  if (tau == 0) return;
  switch (policy) {
    case AnswerPolicy::uniform:
      return add_uniform(tau, first, noise, block);
    case AnswerPolicy::worst:
      block.y = block.y.unaryExpr(
          [this](double v) { return v + (std::fmod(std::floor(v / tau), 2) == 0 ? tau : -tau); });
      return;
    case AnswerPolicy::grid:
      block.y = block.y.unaryExpr([this](double v) { return 2 * tau * std::nearbyint(v / (2 * tau)); });
      return;
  }
}

}  // namespace hardhead::learner
