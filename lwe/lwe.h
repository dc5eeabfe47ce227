#pragma once

/// Learning with errors, with rounding, and parity with noise: samples, files, attacks, verification. These
/// are the problems that the hardness of hardness/'s instances rests on, and the attacks on them when
/// examples are read as equations.
///
/// # Problems (parameters.h, samples.h)
/// A secret s in Z_q^n, q a prime or a power of two; samples (a, b) with a uniform in Z_q^n:
///
///     LWE   b = <a, s> + e mod q           e discrete Gaussian of deviation sigma, or uniform in {0, 1}
///     LWR   b = floor(p <a, s> / q)        <a, s> mod q in 0 .. q-1; rounding to p levels, no noise;
///                                          down, or to the nearest level (rounding=nearest)
///     LPN   b = <a, s> + e mod 2           e = 1 with probability rate
///
/// A label leaves h = <a, s> mod q in a window of w residues: 2T+1 for Gaussian noise (T the tail cut), 2,
/// ceil(q/p). Each sample says log2(q/w) bits of s, and that is all that exhaustive search, meet in the
/// middle, Arora-Ge and the lattice attack use. discrete_gaussian.h states the law, its table and its error
/// bound.
///
/// # Verification (verification.h)
/// A claimed secret is checked in integers against every sample, without
/// knowing how either was made, and believed only if a wrong one would fit with probability below 2^-20 as
/// well. attack() reports no secret that has not been.
///
/// # What samples allow (posterior.h)
/// The posterior over all secrets, up to 2^24, exactly, for LWR and LPN: no attack finds a secret from
/// samples that leave it less likely than not.
///
/// # Attacks (attack.h; one file each)
/// N samples, B a table's size, beta a sample's bias (bkw.h).
///
///   name        idea                                            cost                        works if
///   elimination Gaussian elimination                            n^3                         no noise
///   exhaustive  every secret, blocks of samples at a time       |secrets| / 1024 * ANDs     w < q
///               LPN: correlations by one Walsh transform        n 2^n
///   mitm        halves of s matched by the cells of their sums  sqrt |secrets|              4 w <= q / 2
///   bkw         cancel r blocks of coordinates, then transform  r B + N, N ~ beta^-2^(r+1)  many samples
///   bkw-mod2    cancel w - 1 bits, then the secret mod 2, lift  r M + n 2^n, M rows         q = 2^l, n <= 28
///   prange      n labels that are right by chance               n^2 / (1 - rate)^n          lpn, rate < 1/2
///   stern       few wrong labels in halves of an n-set, matched (S + S^2 / 2^l) / P         lpn, rate < 1/2
///   kannan      (error, M) is short in an embedding: LLL, BKZ   d^4, then exp(block)        little noise
///   arora-ge    prod_e (b - e - <a,s>) = 0, linearised          C(n+w, w)^3                 w small, q prime
///   low-bits    bits of h as polynomials over GF(2)             n^6 / 64                    low bits known
///
/// kannan-fplll is kannan reduced by fplll. Lattice reduction can hang or abort: it runs in a child process
/// with a time limit. Each attack predicts what it costs that it succeeds (attack.h: predicted_cost); what
/// cannot succeed, or needs larger blocks than the program's, is not begun. attack_auto() goes from cheap to
/// dear. Models are calibrated on one machine (machine_speeds.h); `hardhead lwe attack --method all` prints
/// predicted beside measured. What the lattice attack costs beyond blocks of 60 is core_svp.h's.
///
/// # Linear algebra over GF(2) (gf2.h)
/// Without noise a parity hidden behind labels, <s, b^(i)> = v^(i) (mod
/// 2), is one linear equation an example, and elimination finds s as soon as the b^(i) span: N uniform
/// vectors of r bits span with probability prod_{i<r} (1 - 2^(i-N)), more than 1 - 2^(r-N). This is why the
/// SQ lower bounds of sq/ say nothing about algorithms that see examples.
///
/// # Use
///
///     const Recipe recipe = Recipe::parse(Spec::parse("lwe:n=40,q=12289,sigma=3.2,samples=80"));
///     const Sampler sampler(recipe.parameters, recipe.seed);
///     const Challenge challenge{recipe.parameters, sampler.draw(0, recipe.samples)};
///     const AttackReport report = attack(challenge, find_attack("kannan"), 60, context);
///     if (report.solved()) use(report.secret);
///
/// Files (instance_file.h): JSON with a digest, Darmstadt challenge text, fplll matrices.
#include "lwe/attacks/attack.h"
#include "lwe/attacks/low_bits.h"
#include "lwe/files/instance_file.h"
#include "lwe/outside/program_attack.h"
#include "lwe/problem/gf2.h"
#include "lwe/problem/samples.h"
#include "lwe/problem/verification.h"
