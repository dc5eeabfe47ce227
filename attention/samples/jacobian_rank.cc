#include "attention/samples/jacobian_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "attention/forward/forward.h"
#include "attention/samples/sample_source.h"
#include "base/error.h"
#include "base/numeric/decompositions.h"

namespace hardhead::attention {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A matrix of the layer as A B^T, of as many columns as its numerical rank.
struct Factors {
  Matrix a, b;

  Index rank() const { return a.cols(); }
};

Factors factors_of(const Matrix& matrix) {
  const auto [s, u, v] = singular_values(matrix, SingularVectors::full);
  const double least = static_cast<double>(matrix.rows()) * epsilon * s(0);
  const Index rank = (s.array() > least).count();
  const Vector root = s.head(rank).cwiseSqrt();
  return {u.leftCols(rank) * root.asDiagonal(), v.leftCols(rank) * root.asDiagonal()};
}

/// Of all Theta_i, then all W_i, as the columns of a Jacobian are.
std::vector<Factors> factors_of(const Layer& layer) {
  std::vector<Factors> out;
  for (Matrix Head::* matrix : {&Head::theta, &Head::w})
    for (const Head& head : layer.heads) out.push_back(factors_of(head.*matrix));
  return out;
}

/// The Jacobian by the factors, from that by the entries: d(A B^T) = dA B^T + A dB^T.
Matrix by_factors(const Matrix& by_entries, const std::vector<Factors>& factors) {
  Index columns = 0;
  for (const Factors& of : factors) columns += of.a.size() + of.b.size();
  Matrix out(by_entries.rows(), columns);
  Index column = 0, matrix = 0;
  for (const Factors& of : factors) {
    const Index d = of.a.rows(), first = d * d * matrix++;
    const auto entries = by_entries.middleCols(first, d * d);  // (a, b) in column b d + a
    for (Index l = 0; l < of.rank(); ++l)
      for (Index at = 0; at < d; ++at) {
        out.col(column++) = Matrix(entries(Eigen::all, Eigen::seqN(at, d, d))) * of.b.col(l);  // dA[at, l]
        out.col(column++) = entries.middleCols(at * d, d) * of.a.col(l);                       // dB[at, l]
      }
  }
  return out;
}

/// What inputs a Jacobian has.
struct Rows {
  std::unique_ptr<const SampleSource> source;
  std::int64_t inputs;
};

Rows rows_of(const Layer& layer, Index k, Inputs inputs, std::uint64_t seed) {
  constexpr int most_enumerated_bits = 12;
  const auto teacher = std::make_shared<LayerTeacher>(layer);
  if (inputs == Inputs::boolean && k * layer.d <= most_enumerated_bits) {
    auto all = std::make_unique<EnumerationSource>(teacher, layer.d, k);
    const std::int64_t count = all->size();
    return {std::move(all), count};
  }
  // An entry of a row depends on all Theta_i and a column of every W_i, and may be the only one that is not
  // 0.
  const std::int64_t unknowns = layer.m() * layer.d * (layer.d + 1);
  return {std::make_unique<SimulatedSource>(teacher, layer.d, k, inputs,
                                            Stream(Domain::samples, seed, "jacobian")),
          2 * (unknowns / k + 1)};
}

/// R of J = Q R, which has the singular values of J, from as many rows at a time as a block gives.
Matrix triangle(const Layer& layer, const Rows& rows, const StopToken& stop) {
  const Index n = 2 * layer.m() * layer.d * layer.d;
  Matrix r = Matrix::Zero(n, n);
  for (std::int64_t first = 0; first < rows.inputs; first += block_size) {
    stop.check();
    Block block(layer.d, rows.source->k(), std::min<std::int64_t>(block_size, rows.inputs - first));
    rows.source->read(first, block);
    const Matrix part = jacobian(layer, block);
    if (!part.allFinite())
      throw InputError(
          "the Jacobian of F has entries that are not finite: the layer's weights are too large");
    Matrix both(n + part.rows(), n);
    both << r, part;
    r = householder_r(std::move(both));
  }
  return r;
}

/// In descending order: with both signs they are the eigenvalues of [0, R^T; R, 0]. (The errors of the SVD by
/// divide and conquer of Eigen 3.4 reach 1e-13 of the largest value at n = 72, and would count as rank.)
Vector precise_singular_values(const Matrix& matrix) {
  const Index n = std::min(matrix.rows(), matrix.cols());
  Matrix both = Matrix::Zero(2 * n, 2 * n);
  both.bottomLeftCorner(n, n) =
      householder_r(matrix.cols() > matrix.rows() ? Matrix(matrix.transpose()) : matrix);
  return symmetric_eigenvalues(both).tail(n).reverse().cwiseMax(0);
}

/// Of a matrix that stands for out.rows rows.
void measure(const Matrix& matrix, JacobianRank& out) {
  const Vector s = precise_singular_values(matrix);
  out.columns = matrix.cols();
  const double least = static_cast<double>(std::max<std::int64_t>(out.rows, out.columns)) * epsilon * s(0);
  out.rank = (s.array() > least).count();
  if (out.rank > 0) out.smallest_kept = s(out.rank - 1) / s(0);
  if (out.rank > 0 && out.rank < out.columns)
    out.largest_dropped = out.rank < s.size() ? s(out.rank) / s(0) : 0;
}

void check(const Layer& layer, Index k) {
  layer.validate();
  if (layer.network)
    throw InputError(
        fmt::format("the rank of the Jacobian: this layer has a network of {} units behind its heads, and "
                    "the rank of the Jacobian speaks of heads alone",
                    layer.network->width()));
  if (k < 2) throw InputError(fmt::format("the Jacobian for k = {}: attention needs k >= 2 tokens", k));
  const double n = 2 * static_cast<double>(layer.m()) * static_cast<double>(layer.d * layer.d);
  if (n > most_jacobian_columns)
    throw InputError(fmt::format(
        "d = {}, m = {}: the Jacobian has 2 m d^2 = {:.0f} columns, and its singular values for "
        "three kinds of inputs take about {:.0e} operations; at most {} columns are decomposed",
        layer.d, layer.m(), n, (6 * static_cast<double>(layer.d) + 40) * n * n * n, most_jacobian_columns));
}

}  // namespace

Matrix jacobian(const Layer& layer, const Block& block) {
  layer.validate();
  const Index d = layer.d, k = block.k, half = layer.m() * d * d;
  Matrix out = Matrix::Zero(k * d * block.count, 2 * half);
  Forward::Workspace attended;
  for (Index i = 0; i < layer.m(); ++i) {
    const Head& head = layer.heads[static_cast<std::size_t>(i)];
    attend_one(head.theta, block, attended);
    for (Index n = 0; n < block.count; ++n) {
      const auto tokens = block.x(Eigen::all, Eigen::seqN(n, k, block.count));
      for (Index r = 0; r < k; ++r) {
        const Index column = block.column(r, n), row = (n * k + r) * d;
        const Vector z = attended.z.col(column);
        const Matrix around = tokens.colwise() - z;
        const Matrix effect =
            around * attended.p.col(column).asDiagonal() * (around.transpose() * head.w).eval();  // C W_i
        for (Index e = 0; e < d; ++e) {
          out.row(row + e).segment(i * d * d, d * d) =
              (block.x.col(column) * effect.col(e).transpose()).reshaped().transpose();
          out.row(row + e).segment(half + i * d * d + e * d, d) = z.transpose();
        }
      }
    }
  }
  return out;
}

double boolean_rank_bound(Index d, Index k, LastFeature last) {
  const bool chosen = last == LastFeature::varies;
  const double all = 0x1p53, tokens = std::exp2(static_cast<double>(chosen ? d : d - 1));
  double others = 1;  // C(2^d + k - 2, k - 1): sets of the k - 1 other tokens
  for (Index i = 1; i < k && others < all; ++i)
    others *= (tokens + static_cast<double>(i) - 1) / static_cast<double>(i);
  const auto features = static_cast<double>(d);
  const double queries = chosen ? tokens / 2 : tokens;  // x_r; F(-X) = -F(X) says half of what there is
  return std::min(all, std::round(features * queries * (std::round(others) - 1) + features * features));
}

std::vector<JacobianRank> jacobian_ranks(const Layer& layer, Index k, std::uint64_t seed,
                                         const StopToken& stop, LastFeature last) {
  check(layer, k);
  const bool chosen = last == LastFeature::varies;
  const Index m = layer.m(), d = layer.d, determined = 2 * m * d * d - (chosen ? 0 : (2 * m - 1) * d);
  const std::vector<Factors> factors = chosen ? factors_of(layer) : std::vector<Factors>();
  const bool full = std::ranges::all_of(factors, [&](const Factors& of) { return of.rank() == d; });
  Index dimension = 0;  // of the layers of these ranks
  for (const Factors& of : factors) dimension += of.rank() * (2 * d - of.rank());
  std::vector<JacobianRank> out;
  for (const Inputs inputs :
       chosen ? std::array{Inputs::boolean, Inputs::gaussian, Inputs::sphere}
              : std::array{Inputs::boolean_and_one, Inputs::gaussian_and_one, Inputs::sphere_and_one}) {
    const Rows rows = rows_of(layer, k, inputs, seed);
    const Matrix r = triangle(layer, rows, stop);
    const double most = are_signs(inputs) ? boolean_rank_bound(d, k, last) : static_cast<double>(determined);
    const auto add = [&](Coordinates by, Index predicted, const Matrix& matrix) {
      out.push_back({.coordinates = by,
                     .inputs = inputs,
                     .rows = rows.inputs * k * d,
                     .predicted = std::min(predicted, static_cast<Index>(most))});
      measure(matrix, out.back());
    };
    add(Coordinates::entries, determined, r);
    if (full) continue;
    stop.check();
    add(Coordinates::factors, dimension, by_factors(r, factors));
  }
  return out;
}

}  // namespace hardhead::attention
