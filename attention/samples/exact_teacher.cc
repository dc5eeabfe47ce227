#include "attention/samples/exact_teacher.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.h"

namespace hardhead::attention {
namespace {

int sign_of(double entry) {
  if (entry != 1 && entry != -1)
    throw InputError(
        fmt::format("{} is no entry of a Boolean token: exact values are those of -1 and +1", entry));
  return entry > 0 ? 1 : -1;
}

}  // namespace

ExactTeacher::ExactTeacher(ExactLayer layer) : layer_(std::move(layer)) {
  layer_.validate();
}

void ExactTeacher::label(Block& block) const {
  const Index d = block.d(), k = block.k;
  std::vector<int> x(static_cast<std::size_t>(k * d));
  for (Index n = 0; n < block.count; ++n) {
    for (Index a = 0; a < k; ++a)
      for (Index f = 0; f < d; ++f)
        x[static_cast<std::size_t>(a * d + f)] = sign_of(block.x(f, block.column(a, n)));
    const std::vector<Rational> y = evaluate(layer_, x);
    for (Index a = 0; a < k; ++a)
      for (Index f = 0; f < d; ++f)
        block.y(f, block.column(a, n)) = round_to_nearest(y[static_cast<std::size_t>(a * d + f)]);
  }
}

}  // namespace hardhead::attention
