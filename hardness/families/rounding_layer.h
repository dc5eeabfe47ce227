#pragma once
#include "base/text/option_table.h"
#include "hardness/families/family.h"
#include "hardness/gadget/switch_gadget.h"
#include "lwe/problem/samples.h"

namespace hardhead::hardness {

/// What the families of rounding problems have in common.
struct RoundingOptions {
  lwe::ProblemParameters problem{
      .problem = lwe::ProblemKind::lwr, .n = 8, .q = 16, .p = 2};  ///< what is behind the gadget
  std::int64_t base = 4;                                           ///< B of the gadget
  std::uint64_t seed = 1;                                          ///< which secret
};

/// The ranges of n and q of a layer, and what they mean there.
lwe::ModulusRows rounding_modulus_rows();
/// The rows n, q, p (as those of problem `lwr` of lwe/), secret, weight, base. Of `defaults` the base is
/// used.
OptionTable<RoundingOptions> rounding_rows(const RoundingOptions& defaults);
/// The last three of them.
OptionTable<RoundingOptions> secret_and_base_rows(std::int64_t default_base);
/// The samples behind a layer of a family named as the problem, whose rows are those of plain samples and
/// some of its own. Throws InputError as lwe::Recipe::parse().
SamplesBehindSwitch samples_of(const Spec& layer, lwe::ProblemKind kind);
/// The row `seed`, which a family puts last.
OptionTable<RoundingOptions> rounding_seed(const std::string& meaning);

/// Learning with rounding behind the switch gadget: what the families `lwr` and `staircase` share.
///
/// q = 2^l, secret w in Z_q^n, d = n l + 1 features, the last one the switch. Bit e of a_j is b_f, f = j l +
/// e (b = 1 where the tokens differ), and with the gadget matrix s_f = 2^e w_j mod q
///
///     h = <s, b> = <w, a>  (mod q),   0 <= h <= H = sum_f s_f,   g(h) = floor(p h / q) mod p,
///
/// the LWR label of (a, w), exactly. Where the switch is on it is -Y_{r,1} / (2 x_{r,j0}).
struct RoundingProblem {
  lwe::ProblemParameters parameters;  ///< n, q, p and the kind of secret
  std::int64_t base = 4;              ///< B of the gadget
  std::vector<lwe::Residue> secret;   ///< w; the same as of plain samples of the same parameters and seed
  SwitchGadget gadget;                ///< without steps

  attention::Index length() const { return gadget.h_max(); }  ///< H
  /// g(0) .. g(H).
  std::vector<std::int64_t> labels() const;
  /// E(g - gbar)^2 / E g^2 over inputs, gbar the mean of floor(p h / q) over a uniform h mod q: the error of
  /// the predictor that knows q and p.
  Rational null_error() const;
  /// As above, for the mean over h as this secret has them: what a constant can reach.
  Rational constant_error() const;
  /// gcd(w, q): h mod q is uniform on its multiples.
  std::int64_t step() const;
};

/// The problem of these options. Throws InputError if q is not a power of two, if the secret is all zeros
/// (nothing can be learnt of it; another seed helps), if there are too many features, and for whatever lwe/
/// refuses.
RoundingProblem rounding_problem(const RoundingOptions& options);
/// Likewise with this secret in place of the seed's, of options that are in range.
RoundingProblem rounding_problem(const RoundingOptions& options, std::vector<lwe::Residue> secret);

/// The gadget of the family `lwr`, which meets g exactly. It has the values and no weights, since labels need
/// no more.
SwitchGadget exact_rounding(const RoundingProblem& problem);

/// The largest H for which weights are rationals and the instance has an exact layer. Past it they are
/// certified roundings (interpolation.h). Labels are exact in both cases.
inline constexpr std::int64_t max_exact_length = 64;

/// The sizes of a layer of this many heads behind the gadget.
InstanceShape rounding_shape(const RoundingProblem& problem, std::int64_t heads);

/// Those of exact_rounding_instance(). Throws InputError as that does.
InstanceShape exact_rounding_shape(const RoundingProblem& problem, bool padded);

/// The layer of H + 2 heads that meets g exactly. If `padded`, heads of weight 0 are added, up to the number
/// that the largest H takes. Spec and digest are left empty. Throws InputError for a layer of more than 1
/// GiB.
Instance exact_rounding_instance(const RoundingProblem& problem, bool padded);

/// The gadget of the family `staircase`: one step where g jumps, and one at H + 1/2 that brings W to 0. With
/// D = floor(q/p),
///
///     |g_B(h) - g(h)| <= (p-1) ((B^-1 + B^(1-2D)) / (1 - B^(-2D)) + B^(-(2(H-h)+1)))   for D >= 1,
///
/// the last term for the closing step, which may be nearer to its neighbour than D.
SwitchGadget staircase_rounding(const RoundingProblem& problem);

/// What examples with the switch on show of LWR: a, and the label (the nearest level's, for `staircase`).
lwe::Samples rounding_samples(const lwe::ProblemParameters& parameters, const attention::Block& block);

/// H of a secret: the sum over its entries w and over e of 2^e w mod q.
std::int64_t gadget_length(const std::vector<lwe::Residue>& secret, std::int64_t q);

/// H of the secret of this kind for which it is largest.
std::int64_t largest_length(const lwe::ProblemParameters& parameters);

}  // namespace hardhead::hardness
