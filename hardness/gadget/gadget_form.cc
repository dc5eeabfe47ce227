#include "hardness/gadget/gadget_form.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"

namespace hardhead::hardness {
namespace {

using attention::Index;
using attention::Matrix;
using Place = std::pair<Index, Index>;

bool is_diagonal(const Matrix& matrix) {
  for (Index j = 0; j < matrix.cols(); ++j)
    for (Index i = 0; i < matrix.rows(); ++i)
      if (i != j && matrix(i, j) != 0) return false;
  return true;
}

/// Where the only entry of any W_i that is not 0 stands; empty if there are several places or none.
std::optional<Place> only_entry(const attention::Layer& layer) {
  std::optional<Place> place;
  for (const attention::Head& head : layer.heads)
    for (Index j = 0; j < layer.d; ++j)
      for (Index i = 0; i < layer.d; ++i) {
        if (head.w(i, j) == 0) continue;
        if (place && *place != Place{i, j}) return std::nullopt;
        place = {i, j};
      }
  return place;
}

/// Whether one is a positive multiple of the other, to rounding.
bool are_parallel(const attention::Vector& a, const attention::Vector& b) {
  constexpr double rounding = 1e-14;
  return (a * b.norm() - b * a.norm()).cwiseAbs().maxCoeff() <= rounding * a.norm() * b.norm();
}

}  // namespace

bool has_gadget_form(const attention::Layer& layer) {
  const std::optional<Place> place = only_entry(layer);
  if (!place || layer.d < 2) return false;
  std::optional<attention::Vector> slopes;  // the diagonal without entry j0, up to a factor
  for (const attention::Head& head : layer.heads) {
    if (!is_diagonal(head.theta)) return false;
    attention::Vector diagonal = head.theta.diagonal();
    if (diagonal.isZero(0)) continue;  // a flat head
    diagonal(place->first) = 0;
    if (slopes && !are_parallel(*slopes, diagonal)) return false;
    slopes = std::move(diagonal);
  }
  return slopes && !slopes->isZero(0);
}

void refuse_gadget_form(const attention::Layer& layer, const std::string& what) {
  if (has_gadget_form(layer))
    throw InputError(fmt::format(
        "{} has the form of a hard one. Labels by a forward pass would write equal levels as several "
        "doubles, and which one tells what is hidden: name the spec of the family, or label by a function",
        what));
}

}  // namespace hardhead::hardness
