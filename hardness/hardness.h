#pragma once

/// Families of instances: layers that the upper bound covers, and layers made to defeat every learner.
///
/// # Whose is what
/// S. Chen and Y. Li, "Provably learning a multi-head attention layer" (arXiv 2402.04084), prove that nice
/// layers F(X) = sum_i softmax(X Theta_i X^T) X W_i are learnt from examples in time (d k)^O(m^3), and that
/// an exponential dependence on m cannot be avoided: not by statistical queries, and not by any
/// polynomial-time algorithm under a variant of LWE. **The gadget and the families below are this project's
/// own**, not the paper's constructions; what is claimed of them is proved here in a few lines, and
/// tests/hardness checks it in exact arithmetic.
///
/// # The switch gadget (k = 2 tokens, switch_gadget.h)
/// Vectors are columns, rows of X are x_r^T. Row 1 of F is
///
///     y_1 = W_sum^T x_1 + sum_i sigma(x_1^T Theta_i (x_2 - x_1)) W_i^T (x_2 - x_1),   sigma(v) = 1/(1+e^-v),
///
/// and row 2 is the same with tokens exchanged. On X in {-1,+1}^{2 x d} let z_j = x_{1j} x_{2j} and
/// b_j = (1 - z_j)/2: uniform independent bits. One coordinate j0 is a public switch, s_{j0} = 0, and
///
///                  [ c s_1            ]            [ 0 . . 0 ]
///        Theta_i = [    c s_2         ]      W_i = [ .     . ]      c = ln B,  B >= 2 an integer,
///                  [        ..        ]            [ w_i . 0 ]      t_i half-integers.
///                  [           -c t_i ]  row j0
///
/// (x_2 - x_1)_{j0} vanishes unless z_{j0} = -1, and then x_1^T Theta_i (x_2 - x_1) = -2c (h - t_i) with
/// h = <s, b> in 0 .. H, H = sum_j s_j. So, with g(h) = sum_i w_i / (1 + B^(2(h - t_i))) and W = sum_i w_i,
///
///     Y_{r,1} = x_{r,j0} (W - 2 [z_{j0} = -1] g(h)),   all other columns 0:
///
/// a step function of a hidden linear form, with rational values. Without the switch no diagonal Theta has a
/// constant threshold.
///
/// # Weights (interpolation.h)
/// In x = B^(2h) a step is y/(x + y), y = B^(2t): sums of steps are rational functions with prescribed poles.
/// *Exact interpolation* takes H + 2 steps to any g(0) .. g(H), with W = 0; *minimal steps* takes H, up to an
/// additive constant kappa. Both are unique and rational. *Compact heads* (compact_heads.h), a ramp and steps
/// of another slope, take about half as many to (-1)^h.
///
/// # Two traps
/// 1. With fewer than H + 2 steps a staircase with long plateaus is only approximated, and how far a label is
///    from its plateau tells h. Hardness is claimed for functions that are met exactly.
/// 2. A forward pass in floating point gives equal levels as several doubles, and which one tells h. Labels
///    of the hard families are the exact rationals, each rounded to double once, chosen from a table. A layer
///    file of this form that lost its spec is refused (switch_gadget.h).
///
/// # Family `parity`
/// s is the indicator of a hidden set S, |S| = m, uniform among the m-subsets of all coordinates but j0 =
/// d-1; g(h) = (-1)^h = chi_S(z), up to kappa.
///
///     variant   heads                          W   levels of Y_{r,1} / x_{r,j0}         null error
///     exact     m + 2                          0   0 (off), -2 chi_S (on)               1
///     minimal   m           (m even)           0   0 (off), -2 (kappa + chi_S) (on)     1/(1 + kappa^2)
///     minimal   m + 1       (m odd; one flat)  0   0 (off), -2 chi_S (on)               1
///     compact   floor(m/2) + 1                 W   W (off), -2 chi_S (on)               1/(1 + W^2/4)
///     compact-exact  one more, flat            0   0 (off), -2 chi_S (on)               1
///
/// The flat head (Theta = 0, weight -2 kappa) cancels W = 2 kappa and kappa at once. Weights, kappa and head
/// count depend on m and B only, so they tell nothing of S, and labels depend on X through the switch, one
/// sign and the parity only.
/// - But for compact the mean of the rows of F is exactly 0 on every X: least squares for W_sum sees nothing.
/// - Statistical queries: sq/dimension/parity_bound.h (proved). The bound is linear in C(d-1, m): it says
///   little for m = 1, for m near d-1, and nothing for m = d-1, where only one set is left.
/// - The null predictor (NullPredictor) knows j0, W and kappa. One that averages all C(d-1,m) members instead
///   is better by the factor 1 - 1/C(d-1,m) (the chi_S are orthonormal) and needs no example for that: where
///   C(d-1,m) is below a few hundred, a small advantage is no sign of learning.
/// - Not hard for algorithms that see examples: each one with the switch on is a linear equation over GF(2)
///   (lwe/problem/gf2.h). And seeds are not secret keys: whoever knows the generator can try small ones.
///
/// # Families `lwr`, `staircase`, `lwe`, `lpn` (rounding_layer.h)
/// Learning with rounding (no random noise: labels are a layer's): the n log2 q bits of a in Z_q^n are the
/// b_f, and their weights s make h = <s, b> = <w, a> (mod q), g(h) = floor(p h / q) mod p.
///
/// - `lwr` meets g exactly on 0 .. H by H + 2 heads, so a label is the LWR label of (a, w) and nothing else.
///   Hardness is that of LWR with these n, q, p: none at the small sizes a testbed runs, and lwe/ has the
///   attacks. Weights are rationals up to H = 64, past it correctly rounded doubles
///   (interpolation.h); labels are exact all the same. The number of heads shows H; heads=padded
///   hides it behind heads of weight 0. Small secrets make small H and few heads.
/// - `staircase` has one step a jump of g (and one at H + 1/2 for W = 0): trap 1. It carries **no hardness
///   claim**: experiments/attacks/rounding_attack.h reads its secret off a few hundred examples, and finds
///   nothing in `lwr`'s with the same secret.
/// - `lwe` and `lpn` are `lwr` with p = q, and q = 2, whose training labels carry the noise of their problem.
///   Noise mod q has no mean 0: Instance::ceiling_error.
/// - p is to divide q. Where it does not, levels have unequal lengths, labels correlate with low bits of
///   h, and lwe/attacks/fourier.h reads the secret.
/// - Null predictor: the mean level of a uniform h mod q where the switch is on (error
///   1/2 for p = 2 and a w with an odd entry). What averaging all secrets would gain, and what H does, is in
///   concepts/all_members.h.
/// - One seed makes one secret, for the layer and for plain samples of lwe/ alike.
///
/// # Family `junta` (families/junta.h)
/// Any function of m hidden bits in a hidden order: s_j = 2^(j-1), so that h is the word of the bits, and
/// exact interpolation on 0 .. 2^m - 1; m + 2 heads where it depends on the number of -1 only. Hard by its
/// leap (sq/dimension/leap.h). How many heads a function needs at least: gadget/head_count.h.
///
/// # Family `smoothed` (smoothed/perturbed_layer.h)
/// A parity layer with Gaussian noise on Theta or W, or at another temperature: near the hard layer, where
/// `path` goes away from it. No hardness is claimed: the layers without noise are a set of measure zero, and
/// next to it correlations of low degree with exact labels read S (experiments/attacks/smoothing_attack.h).
///
/// # Family `nice`, and how nice a layer is (niceness.h)
/// Independent Gaussian Theta_i and W_i of given Frobenius norms: the layers that the upper bound is for.
/// certify() measures each condition of the upper bound on any layer.
///
/// # Structured families
/// W_i as in `nice` of the same seed, Theta_i of one shape, scaled to theta_norm:
///
///     diagonal, block-diagonal   nice's Theta_i with all but its diagonal blocks set to 0
///     low-rank                   Q_i K_i, Gaussian d x r and r x d
///     orthogonal, permutation    uniformly random orthogonal; permutations with random signs
///
/// and `transformer`, the heads that standard implementations start from: all four maps Xavier-uniform,
/// Theta_i = gain^2 Wq_i^T Wk_i / sqrt(d/m), W_i = Wv_i^T Wo_i^T.
///
/// # Family `degraded`
/// The nice layer of the same parameters with one condition (`which`) broken as far as `knob` in [0, 1] says;
/// at 0 it is that layer bit for bit. With share(A, B, t) = sqrt(1-t) A + sqrt(t) B at A's norm, G Gaussian:
///
///     which                   at knob = t                                    certificate's value at t = 1
///     theta_incoherence, w_   share(Theta_i, G, t), one G                    cosines 1 (t on the way)
///     theta_stable_rank, w_   share(Theta_i, u_i v_i^T, t)                   rank 1
///     theta_diagonal          mean direction of the heads turned to I        d / max(m, 2) (t times that)
///     theta_column            share(Theta_i, one Gaussian column, t/2)       1/2 (t/2)
///     theta_non_arithmetic    (1-t) Theta_i + t signs * theta_norm/d         0: entries on {-s, s}
///     theta_norm_ratio, w_    norms falling by 1 + 99 t from first to last   100 (w: its logarithm)
///     theta_norm              norms of theta_norm (1 + 15 t)                 256 theta_norm^2
///     label_noise             Gaussian noise of t rms(Y) on training labels  (not the layer's)
///
/// The other conditions stay within what tests/hardness/families/degraded_test.cc states, except that a heavy
/// column bounds the stable rank by its inverse share. Test labels have no noise.
///
/// # Family `path`
/// (1-t) nice + t parity, head by head, in Theta and in W, for the nice layer of as many heads (k = 2).
/// - At t = 1 it is the parity instance with its exact labels. **For t < 1 labels are a forward pass in
///   double**, and near t = 1 a learner could tell h from the bits in which equal levels differ (trap 2), and
///   does see the nice part: no hardness is claimed there.
/// - Nothing but the layer is hidden for t < 1, so the null predictor is the best affine function of (x_r,
///   mean row). It is so at t = 1: parity's, -2 kappa x_{r,j0} where the switch is on and 0 where it is off,
///   is -2 kappa (x_r - mean row)_{j0}, and the rest of the label, a product of more than one coordinate of
///   X, is orthogonal to all affine functions. One predictor for the whole path, then; its error is
///   continuous in t.
///
/// # Use
///
///     const Instance instance = make_instance(Spec::parse("parity:d=20,m=6,seed=3"));
///     SimulatedSource source(instance.teacher, instance.layer.d, instance.k, instance.inputs,
///                            Stream(Domain::samples, 3, instance.digest));
///
/// A learner gets the source and nothing else: an instance's spec, seed, layer and digest all determine S.
/// concepts/named_class.h has the classes of concepts that statistical queries ask about, by specs of the
/// same kind.
#include "hardness/concepts/named_class.h"
#include "hardness/families/family.h"
#include "hardness/families/instance.h"
#include "hardness/gadget/interpolation.h"
#include "hardness/gadget/switch_gadget.h"
#include "hardness/niceness/niceness.h"
