#include <cmath>

#include "hardness/registered_families.h"

namespace hardhead::hardness {
namespace {

using attention::Index;
using attention::Matrix;

/// A d x d matrix with independent normal entries (item `item` of the stream, row by row), scaled to
/// Frobenius norm `norm`. Plain loops: the same bits on every machine.
Matrix gaussian_of_norm(const Stream& stream, std::uint64_t item, Index d, double norm) {
  Matrix out = Matrix::Zero(d, d);
  if (norm == 0) return out;
  std::vector<double> entries(static_cast<std::size_t>(d * d));
  stream.normals(item, entries);
  double square = 0;
  for (const double entry : entries) square += entry * entry;
  const double scale = norm / std::sqrt(square);
  for (Index a = 0; a < d; ++a)
    for (Index b = 0; b < d; ++b) out(a, b) = entries[static_cast<std::size_t>(a * d + b)] * scale;
  return out;
}

Instance make(const Parameters& p) {
  Instance out;
  out.k = p.integer("k");
  out.inputs = attention::parse_inputs(p.choice("inputs"));
  out.layer.d = p.integer("d");
  const Stream stream(Domain::instance, static_cast<std::uint64_t>(p.integer("seed")), "nice");
  for (Index i = 0; i < p.integer("m"); ++i) {
    const auto item = static_cast<std::uint64_t>(2 * i);
    Matrix theta = gaussian_of_norm(stream, item, out.layer.d, p.real("theta_norm"));
    Matrix w = gaussian_of_norm(stream, item + 1, out.layer.d, p.real("w_norm"));
    out.layer.heads.push_back({std::move(theta), std::move(w)});
  }
  out.teacher = std::make_shared<attention::LayerTeacher>(out.layer);
  return out;
}

}  // namespace

Family detail::nice_family() {
  Family f;
  f.name = "nice";
  f.summary = "random Gaussian heads: what the upper bound is for";
  f.hidden = "every Theta_i and W_i";
  f.assumptions =
      "independent Gaussian directions: heads incoherent and W_i well conditioned relative to each other "
      "with high probability for d well above m; nothing is checked, and no hardness is claimed";
  f.parameters = {
      Parameter::integer("d", 16, 1, 1024, "features of a token"),
      Parameter::integer("k", 3, 1, 64, "tokens (with k=1 attention is trivial and only sum W_i is seen)"),
      Parameter::integer("m", 2, 1, 64, "heads"),
      Parameter::real("theta_norm", 2, 0, 1e6, "Frobenius norm of every Theta_i; 0 is uniform attention"),
      Parameter::real("w_norm", 1, 1e-6, 1e6, "Frobenius norm of every W_i"),
      Parameter::choice("inputs", attention::inputs_names(), "distribution of X"),
      Parameter::integer("seed", 1, 0, 9e15, "which member of the family"),
  };
  f.make = make;
  f.presets = {{"nice", "two heads, three tokens of 16 features"}};
  return f;
}

}  // namespace hardhead::hardness
