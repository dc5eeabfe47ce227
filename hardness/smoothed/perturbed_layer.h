#pragma once
#include <array>
#include <vector>

#include "attention/layer/exact.h"
#include "attention/samples/sample_source.h"
#include "base/numeric/random.h"
#include "base/text/enum_names.h"
#include "hardness/smoothed/fixed_point.h"

namespace hardhead::hardness {

/// Which matrices of a layer are perturbed.
enum class Perturbed {
  theta,  ///< every Theta_i
  w       ///< every W_i
};

constexpr auto enum_names(Perturbed) {
  return std::to_array<EnumName<Perturbed>>({{Perturbed::theta, "theta"}, {Perturbed::w, "w"}});
}

/// What is done to an exact layer: Theta_i = (ln B / 2) N_i / temperature + sigma G_i, or the same of W_i,
/// with G_i independent standard normals.
struct Perturbation {
  Perturbed where = Perturbed::w;  ///< which matrices get sigma G_i
  double sigma = 0;                ///< at least 0
  double temperature = 1;          ///< of the softmax, above 0
};

/// A layer near an exact one, and its labels on two tokens of signs by high precision, each rounded to double
/// once.
///
/// Entries of sigma G_i are made multiples of 2^-90, and so are those of W_i. Sums of them are then exact
/// integers of 128 bits: with u = x_{r'} - x_r, whose entries are 0 and +-2,
///
///     logit_i = (ln B / 2) (x_r^T N_i u) / temperature + sigma x_r^T G_i u,
///     Y_r     = W_sum^T x_r + sum_i W_i^T u / (1 + exp(-logit_i)).
///
/// The sigmoids have an error below 2^-120 (fixed_point.h), and what follows them is exact but for the one
/// rounding, so that a label is the nearest double but for chances of about 2^-60: equal values of different
/// h do not differ in their last bits, as those of a forward pass in double do. A label half-way between two
/// doubles may be either, on every machine the same.
class PerturbedLayer final : public attention::Teacher {
 public:
  /// Throws InputError for a sigma that is negative or not finite, or past 2^20, and a temperature that is
  /// not in 1e-3 .. 1e3.
  PerturbedLayer(const attention::ExactLayer& exact, const Perturbation& perturbation, const Stream& stream);

  void label(attention::Block& block) const override;
  attention::Labelled labelled() const override { return {.boolean_only = true, .tokens = 2}; }

  /// Theta_i and W_i in double.
  attention::Layer rounded() const;

  /// Bytes of a perturbed parity layer of m heads and d features.
  static double bytes(attention::Index d, attention::Index m);

 private:
  using Wide = Int128;  // in units of 2^-90
  struct Head {
    std::vector<attention::ExactLayer::ThetaEntry> theta;
    std::vector<Wide> theta_noise;  // its transpose, row after row; empty where it is 0
    std::vector<Wide> w;            // row after row
    // 1 / (1 + exp(-logit)) for logits without noise: by x_r^T N_i u, from the least that it can be.
    std::vector<UnsignedInt128> weights{};
    std::int64_t least = 0;
  };

  void label_example(attention::Block& block, attention::Index n) const;
  FixedPoint logit(std::int64_t half_units, Wide noise) const;
  UnsignedInt128 attention(std::int64_t half_units, Wide noise) const;  // to the other token

  attention::Index d_;
  FixedPoint unit_;  // (ln B / 2) / temperature
  std::vector<Head> heads_;
  std::vector<Wide> w_sum_;  // of the exact sum, and of all noise
};

}  // namespace hardhead::hardness
