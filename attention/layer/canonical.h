#pragma once
#include <optional>
#include <vector>

#include "attention/layer/layer.h"
#include "base/run/stop_token.h"

/// Which layers are one function, and one layer chosen for each function.
///
/// # What changes nothing
/// Write P_Theta for the k x k attention pattern of a head at an input X, so that F(X) = sum_i P_{Theta_i} X
/// W_i. For every k and every real X: the order of the heads; heads of equal Theta are one head, whose W is
/// the sum of theirs; a head with W = 0 is none. Theta = 0 is uniform attention; it is called the constant
/// head here. For k = 1 all patterns are 1, so that F(X) = X W_sum.
///
/// For k = 2, row r of P_Theta gives sigma(u) to the other token j and sigma(-u) to itself, with u = x_r^T
/// Theta (x_j - x_r) and sigma(u) = 1 / (1 + e^-u). Since -Theta turns u into -u, for every real X
///
///     P_{-Theta} = J - P_Theta, J all ones,      and J = 2 P_0,
///
/// so that {(Theta, V), (-Theta, W)} and {(Theta, V - W), (0, 2 W)} are one function. In particular a head
/// (Theta, W) can be *turned* into (-Theta, -W), if (0, 2 W) is added. W_sum stays as it is.
///
/// # Nothing else does, on real inputs
/// Call a layer reduced if its W_i are not 0 and its Theta_i differ from each other, for k = 2 also from each
/// other's negatives. **Two reduced layers that agree on an open set of R^{k x d}, k >= 2, have the same
/// heads, up to their order and, for k = 2, up to turning.**
///
/// *Proof* (ours). F is analytic in X, so the layers agree everywhere. Take their difference (all heads of
/// one, those of the other with -W) and reduce it: it is enough that a reduced layer with F = 0 has no heads.
/// Let x_1 = x, x_2 = x + v, and all other tokens be x. With c = log(k - 1), row 1 of F is
///
///     x^T W_sum + sum_i sigma(x^T Theta_i v - c) v^T W_i.                                             (1)
///
/// v = 0 shows that W_sum = 0. Let x = t y for a number t. For almost all (y, v) the a_i = y^T Theta_i v are
/// different, are 0 for Theta_i = 0 only, and for k = 2 differ in absolute value. As a function of complex t,
/// sigma(a_i t - c) with a_i != 0 has simple poles at t = (c + i pi (2 n + 1)) / a_i for integer n, and no
/// others. For k >= 3, c > 0, and poles of different a_i are different: their real and imaginary parts cannot
/// both agree. For k = 2, c = 0, and the largest |a_i| has the poles nearest to 0 for itself; take its head
/// away and go on. So v^T W_i = 0 for almost all v, and W_i = 0 wherever Theta_i != 0. The constant head is
/// then the only one, and its W is W_sum = 0.
///
/// *To first order as well*: the Jacobian of F in all 2 m d^2 entries of (Theta, W), at a reduced layer, has
/// independent columns as functions of X. For let (dTheta, dW) be a null vector, which turns (1) into
///
///     t y^T dW_sum + sum_i sigma(a_i t - c) v^T dW_i + t sigma'(a_i t - c) (y^T dTheta_i v) v^T W_i = 0.
///
/// v = 0 gives dW_sum = 0. sigma' = sigma (1 - sigma) has double poles where sigma has poles, so y^T dTheta_i
/// v = 0, because v^T W_i != 0 for almost all v; then the simple poles give v^T dW_i = 0. What is left of a
/// constant head is a constant and a multiple of t, and both vanish. Layers of rank r, Theta_i = A_i B_i^T
/// and W_i likewise, form a manifold of dimension r (2 d - r) for each matrix, so that such layers have 2 m r
/// (2 d - r) dimensions: 4 m r d entries of factors, less r^2 for each matrix, since A M and B M^-T are the
/// same factors.
///
/// # Tokens of signs
/// All equalities above hold on them. They are no open set, so the proofs do not apply, and what is known is:
///
/// - No direction of Theta is lost to the softmax, which ignores what all logits of a row share. If x^T Theta
///   (y - x) = 0 for all x, y in {-1,+1}^d, let y be x with feature b flipped: (x^T Theta)_b = 0 for all x.
/// - A single head with W != 0 is determined. Equal tokens show W. If row b of W is not 0, flipping b shows
///   x^T Theta e_b for all x; if it is 0, flipping {a, b} with row a not 0 shows x^T Theta (x_a e_a + x_b
///   e_b), hence the same.
/// - Some layers lose more than on real inputs. Let E = e_a e_b^T. Row r of P_{alpha E} gives the tokens with
///   x_jb = x_ra the weight 1 / (n + (k - n) e^{-2 alpha}) each, if they are n, and the others the rest. The
///   weights for n = 1 .. k - 1 and the sum of weights are k numbers, so that for any alpha_0 .. alpha_k some
///   sum_i c_i P_{alpha_i E} is 0: of k + 1 such heads one is redundant, its W can be moved to the others.
///   For k = 2, {(alpha E, W)} and {(beta E, c W), (0, (1 - c) W)} with c = tanh alpha / tanh beta are one
///   function.
/// - There are only finitely many values. Row r of F depends on x_r and on the multiset of the other
///   tokens, is odd under X -> -X, and is x W_sum if all tokens are x. So no Jacobian in (Theta, W) has a
///   rank above
///
///       B(d, k) = d 2^{d-1} (C(2^d + k - 2, k - 1) - 1) + d^2,
///
///   which is below 2 m d^2 for small d: B(2, 2) = 16, B(3, 2) = 93, B(2, 3) = 40.
/// - The minors of the Jacobian are analytic in (Theta, W). So if it has rank 2 m d^2 at one layer of shape
///   (d, k, m), it has at almost every layer of that shape. samples/jacobian_rank.h measures it, and its
///   test has found the rank min(2 m d^2, B) on all shapes that it tries. That almost every layer is
///   determined on signs in the large, too, is not proved here. The conditions of learner/mobius/mobius.h
///   are sufficient for k = 2.
///
/// # Features that never vary
/// If v^T x is the same number for all tokens, Theta + a v^T has the same pattern for every a. The inputs of
/// layers with biases have such a v: their last feature is the constant 1, v = e_d. For them the last column
/// of every Theta_i is free. So is what the last rows of the W_i are, but for their sum, since the attended
/// mean token has the last feature 1 in every head. Without the last columns of the Theta_i and the last rows
/// of the W_i, which are taken out as one row c of labels, the layers are reduced as others are. Then every
/// head has the last column 0 of Theta and the last row c / m of W, which depends on no order of the heads.
///
/// Nothing else is lost there, in the large and to first order: let v, whose last entry is 0, be t w in the
/// proofs above, instead of x = t y, which would move the constant. The poles are those of sigma(a_i t - c),
/// a_i = x^T Theta_i w, as before, and each condition holds for almost all x with last entry 1. So the
/// Jacobian has rank 2 m d^2 - (2 m - 1) d at a layer that is reduced in this sense. On signs with the last
/// feature 1 there are 2^{d-1} tokens, no X has its -X, and the bound is d 2^{d-1} (C(2^{d-1} + k - 2, k - 1)
/// - 1) + d^2.
namespace hardhead::attention {

/// A head of a given layer, in a head of another layer that is the same function.
struct HeadPart {
  Index head;           ///< of the given layer
  bool turned = false;  ///< it counts as (-Theta, -W); the constant head then has 2 W of it
  bool operator==(const HeadPart&) const = default;
};

/// A layer with as few heads as merging gives, the same function as a given one, and where its heads come
/// from.
struct ReducedLayer {
  /// The heads, the constant one (Theta = 0) last. If all vanish, one with Theta = 0 and W = 0, since a layer
  /// has a head.
  Layer layer;
  bool has_constant = false;  ///< whether the last head is the constant one
  /// Of each head: the heads of the given layer whose W make it up, in their order. A turned one is a part of
  /// the constant head, too.
  std::vector<std::vector<HeadPart>> parts;
  /// Heads of equal Theta, up to turning, whose W sum to 0. A turned part of a constant head that vanishes
  /// may be a part of another head, which does not.
  std::vector<std::vector<HeadPart>> vanished;

  /// Whether the given layer has as many heads as this one, so that it is reduced itself.
  bool nothing_merged() const;
};

/// What counts as equal: entries of Theta that differ by at most this times max(1, the largest entry), and a
/// sum of W whose largest entry is at most this times the sum of the largest entries of its terms.
inline constexpr double canonical_tolerance = 1e-12;

/// The layer reduced for inputs of k tokens: equal Thetas merged (for k = 2 up to turning; heads take the
/// sign of the first), vanishing heads dropped, the rest in their order. Without k only what holds for every
/// k is done. Exact where entries are equal exactly and the sums of W are; else within the tolerance.
///
/// A network behind the heads stays as it is.
///
/// Throws InputError unless the layer is valid, k >= 1 and 0 <= tolerance < 1.
ReducedLayer reduced_layer(const Layer& layer, std::optional<Index> k, double tolerance = canonical_tolerance,
                           LastFeature last = LastFeature::varies);

/// The canonical form: reduced_layer(), with signs and an order that depend on the function only. For k = 2
/// each Theta_i is turned such that its largest entry in absolute value is positive (of those within the
/// tolerance of the largest, the first row by row). Heads are in the lexicographic order of the entries of
/// Theta, then W, row by row; the constant head is last. A layer with a network gets with_canonical_network()
/// (network.h) before, which makes W_sum = I where that is free. Throws as reduced_layer(), and Stopped.
///
/// No rule for signs is continuous: where the two largest entries are nearly equal in size and opposite in
/// sign, nearby layers have distant canonical forms. study/run/match.h compares layers without such a rule.
ReducedLayer canonical_form(const Layer& layer, std::optional<Index> k,
                            double tolerance = canonical_tolerance, LastFeature last = LastFeature::varies,
                            const StopToken& stop = {});

}  // namespace hardhead::attention
