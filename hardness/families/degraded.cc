#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "hardness/families/nice_layer.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

/// What is broken: a condition of niceness.h, or the labels.
enum class Broken {
  theta_incoherence,
  theta_stable_rank,
  theta_diagonal,
  theta_column,
  theta_non_arithmetic,
  theta_norm_ratio,
  theta_norm,
  w_incoherence,
  w_stable_rank,
  w_norm_ratio,
  label_noise
};

constexpr auto enum_names(Broken) {
  return std::to_array<EnumName<Broken>>({
      {Broken::theta_incoherence, "theta_incoherence"},
      {Broken::theta_stable_rank, "theta_stable_rank"},
      {Broken::theta_diagonal, "theta_diagonal"},
      {Broken::theta_column, "theta_column"},
      {Broken::theta_non_arithmetic, "theta_non_arithmetic"},
      {Broken::theta_norm_ratio, "theta_norm_ratio"},
      {Broken::theta_norm, "theta_norm"},
      {Broken::w_incoherence, "w_incoherence"},
      {Broken::w_stable_rank, "w_stable_rank"},
      {Broken::w_norm_ratio, "w_norm_ratio"},
      {Broken::label_noise, "label_noise"},
  });
}

using attention::Head;
using attention::Layer;

/// What a knob acts on: a nice layer, how far the knob is turned, and random numbers beyond the layer's.
struct Subject {
  Layer& layer;
  double knob, theta_norm, w_norm;
  Stream stream;

  Index d() const { return layer.d; }
  Index m() const { return layer.m(); }
};

/// (1 - share) of ||from||^2 and `share` of it along `to`, for orthogonal matrices; norm `norm`.
Matrix blend(const Matrix& from, const Matrix& to, double share, double norm) {
  return of_norm(combination(std::sqrt(1 - share), from, std::sqrt(share), of_norm(to, norm)), norm);
}

// All heads towards one Gaussian matrix: their cosines become the knob's value.
void make_coherent(Subject& s, Matrix Head::* matrix, double norm) {
  const Matrix common = gaussian_matrix(s.stream, 0, s.d(), s.d());
  for (Head& head : s.layer.heads) head.*matrix = blend(head.*matrix, common, s.knob, norm);
}

// Each towards its own Gaussian matrix of rank one.
void lower_rank(Subject& s, Matrix Head::* matrix, double norm) {
  for (std::uint64_t item = 0; Head & head : s.layer.heads) {
    const Matrix column = gaussian_matrix(s.stream, item++, s.d(), 1);
    const Matrix row = gaussian_matrix(s.stream, item++, 1, s.d());
    head.*matrix = blend(head.*matrix, product(column, row), s.knob, norm);
  }
}

// The common direction M of all heads is turned to the identity, which leaves their inner products as they
// are (the identity has little of any head): Tr^2 / ||Theta||^2 becomes knob * d / max(m, 2).
void make_diagonal_heavy(Subject& s) {
  if (s.theta_norm == 0) return;  // no direction to turn
  Matrix common = Matrix::Zero(s.d(), s.d());
  for (const Head& head : s.layer.heads) common = combination(1, common, 1, head.theta);
  common = of_norm(common, 1);
  const Matrix identity = of_norm(Matrix::Identity(s.d(), s.d()), 1);
  const double most = static_cast<double>(s.m()) / static_cast<double>(std::max<Index>(s.m(), 2));
  const double share = s.knob * most;
  const Matrix turn = combination(std::sqrt(1 - share) - 1, common, std::sqrt(share), identity);
  for (Head& head : s.layer.heads)
    head.theta = of_norm(combination(1, head.theta, inner_product(head.theta, common), turn), s.theta_norm);
}

// Head i towards a Gaussian column i, up to half of its square.
void make_column_heavy(Subject& s) {
  for (Index i = 0; i < s.m(); ++i) {
    Matrix& theta = s.layer.heads[static_cast<std::size_t>(i)].theta;
    const Matrix entries = gaussian_matrix(s.stream, static_cast<std::uint64_t>(i), s.d(), 1);
    Matrix column = Matrix::Zero(s.d(), s.d());
    for (Index a = 0; a < s.d(); ++a) column(a, i % s.d()) = entries(a, 0);
    theta = blend(theta, column, s.knob / 2, s.theta_norm);
  }
}

// Every entry towards the one of +-theta_norm/d that has its sign.
void make_arithmetic(Subject& s) {
  for (Head& head : s.layer.heads) {
    Matrix signs(s.d(), s.d());
    for (Index a = 0; a < s.d(); ++a)
      for (Index b = 0; b < s.d(); ++b) signs(a, b) = head.theta(a, b) < 0 ? -1 : 1;
    head.theta =
        of_norm(combination(1 - s.knob, head.theta, s.knob, of_norm(signs, s.theta_norm)), s.theta_norm);
  }
}

// Norms fall from head to head, to a ratio of 1 + 99 knob between first and last.
void make_unequal(Subject& s, Matrix Head::* matrix) {
  for (Index i = 1; i < s.m(); ++i) {
    Matrix& a = s.layer.heads[static_cast<std::size_t>(i)].*matrix;
    a = scaled(1 / (1 + 99 * s.knob * static_cast<double>(i) / static_cast<double>(s.m() - 1)), a);
  }
}

void make_large(Subject& s) {
  for (Head& head : s.layer.heads) head.theta = scaled(1 + 15 * s.knob, head.theta);
}

struct Knob {
  bool compares_heads;  ///< and so needs two
  void (*turn)(Subject&);
};

/// In the order of Broken.
constexpr Knob knobs[] = {
    {true, [](Subject& s) { make_coherent(s, &Head::theta, s.theta_norm); }},
    {false, [](Subject& s) { lower_rank(s, &Head::theta, s.theta_norm); }},
    {false, make_diagonal_heavy},
    {false, make_column_heavy},
    {false, make_arithmetic},
    {true, [](Subject& s) { make_unequal(s, &Head::theta); }},
    {false, make_large},
    {true, [](Subject& s) { make_coherent(s, &Head::w, s.w_norm); }},
    {false, [](Subject& s) { lower_rank(s, &Head::w, s.w_norm); }},
    {true, [](Subject& s) { make_unequal(s, &Head::w); }},
    {false, [](Subject&) {}},  // label_noise leaves the layer as it is
};

struct DegradedOptions {
  NiceOptions nice;
  Broken which = Broken::theta_incoherence;
  double knob = 0.5;
};

Instance make(const DegradedOptions& options) {
  const NiceOptions& nice = options.nice;
  Layer layer = nice_layer(nice);
  const Knob& knob = knobs[static_cast<std::size_t>(options.which)];
  if (knob.compares_heads && layer.m() < 2)
    throw InputError(
        fmt::format("which={} compares heads: m={} is too few", name_of(options.which), layer.m()));
  if (layer.d == 1) throw InputError("d=1 has no other direction to turn a matrix to");
  if (options.knob > 0) {  // at 0 not a bit may differ from nice
    Subject subject{layer, options.knob, nice.theta_norm, nice.w_norm,
                    Stream(Domain::instance, nice.seed, "degraded")};
    knob.turn(subject);
  }
  Instance out = forward_instance(nice, std::move(layer));
  if (options.which == Broken::label_noise) out.label_noise = options.knob;
  return out;
}

}  // namespace

Family detail::degraded_family() {
  return make_family(
      {.name = "degraded",
       .summary = "nice at knob=0, one condition broken at knob=1, the others left as they are",
       .hidden = whole_layer,
       .assumptions =
           "all of nice's but the one that `which` names (hardhead certify shows by how much): cosines of "
           "heads = knob; a share `knob` of rank one; Tr(Theta)^2/||Theta||^2 = knob d/max(m,2); half of "
           "||Theta||^2 in one column; entries +-theta_norm/d; norms in a ratio of 1 + 99 knob; norms of "
           "theta_norm (1 + 15 knob); noise on training labels of knob times their root mean square; no "
           "hardness is claimed",
       .presets = {{"degraded:which=theta_incoherence,knob=1", "two heads that attend alike"},
                   {"degraded:which=label_noise,knob=0.1", "labels with a tenth of noise"}}},
      OptionTable<DegradedOptions>()
          .part(&DegradedOptions::nice, shape_rows().append(norm_rows()))
          .choice("which", &DegradedOptions::which, "the condition to break")
          .real("knob", &DegradedOptions::knob, 0, 1, "how far")
          .part(&DegradedOptions::nice, draw_rows()),
      forward_shape, make);
}

}  // namespace hardhead::hardness
