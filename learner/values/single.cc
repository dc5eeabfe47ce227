#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "attention/samples/relative_error.h"
#include "base/error.h"
#include "base/numeric/decompositions.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

struct SingleOptions {
  Index rank = 0;          // of Theta; 0: not known to be low
  double theta_bound = 0;  // of |Theta[a,b]|, or of |a^T Theta b| over the random unit probes; 0: not known
};

/// The vectors e_i that linear functions are read off at, as columns. Where the last feature is always 1 they
/// are e_i + e_d and, at the end, e_d: entries() tells what the functions are at the e_i.
Matrix probe_vectors(const ValueOracle& oracle) {
  Matrix out = Matrix::Identity(oracle.d(), oracle.d());
  if (oracle.last_is_one()) out.bottomRows(1).setOnes();
  return out;
}
/// Of values at the probe vectors, a row each, those at the e_i.
Matrix entries(const ValueOracle& oracle, Matrix values) {
  const Index others = values.rows() - 1;
  if (oracle.last_is_one()) values.topRows(others).rowwise() -= values.row(others).eval();
  return values;
}

/// Rows of W, from single tokens: F(e_i) = e_i^T W.
Matrix ask_w(ValueOracle& oracle) {
  const Index d = oracle.d();
  Block block(d, 1, d);
  block.x = probe_vectors(oracle);
  oracle.ask(block);
  return entries(oracle, block.y.transpose());
}

/// An oracle, and all queries of two tokens that it was asked.
struct Probes {
  ValueOracle& oracle;
  std::vector<Block> asked{};
};

/// Vectors u and the W^T u, as columns.
struct Tokens {
  Matrix u, output;

  static Tokens of(const Matrix& w, const Matrix& u) { return {u, w.transpose() * u}; }
  /// Column i, count times.
  Tokens repeated(Index i, Index count) const {
    return {u.col(i).replicate(1, count), output.col(i).replicate(1, count)};
  }
};

/// b_n^T Theta a_n for N vectors b and a. X = [s a + b; b] shows it in row 2:
///
///     row 2 = b^T W + sigma(s b^T Theta a) s a^T W,
///
/// s a logit's scale: with |b^T Theta a| <= bound, s = 1 / (2 bound) keeps logits within 1/2, where an error
/// of tau in an answer is one of about 4 tau / (s^2 |a^T W|) in b^T Theta a.
Vector ask_products(Probes& probes, const Tokens& b, const Tokens& a, double bound) {
  const double s = bound > 0 ? 1 / (2 * bound) : 1;
  const Index count = b.u.cols();
  Block& block = probes.asked.emplace_back(probes.oracle.d(), 2, count);
  block.x.leftCols(count) = s * a.u + b.u;
  block.x.rightCols(count) = b.u;
  probes.oracle.ask(block);
  Vector out(count);
  for (Index n = 0; n < count; ++n) {
    const Vector direction = s * a.output.col(n);
    const double share = (block.label(1).col(n) - b.output.col(n)).dot(direction) / direction.squaredNorm();
    if (!(share > 0 && share < 1))
      throw Failed{fmt::format(
          "probe {} shows an attention weight of {:.3g}, which is none of one head: there are more "
          "heads, a row of W is 0, or a logit is too large to be read",
          n, share)};
    out(n) = std::log(share / (1 - share)) / s;
  }
  return out;
}

/// Every entry: e_j^T Theta e_b for all j and b. Of a feature that is always 1 the column is 0, since nothing
/// depends on it.
Matrix ask_entries(Probes& probes, const Matrix& w, double bound) {
  const Index d = w.rows(), varied = d - (probes.oracle.last_is_one() ? 1 : 0);
  const Tokens every = Tokens::of(w, probe_vectors(probes.oracle)),
               units = Tokens::of(w, Matrix::Identity(d, d));
  Matrix out = Matrix::Zero(d, d);
  for (Index b = 0; b < varied; ++b) out.col(b) = ask_products(probes, every, units.repeated(b, d), bound);
  return entries(probes.oracle, std::move(out));
}

/// count unit vectors as columns.
Matrix unit_vectors(const Stream& stream, Index d, Index count) {
  Matrix out(d, count);
  for (Index n = 0; n < count; ++n) {
    stream.normals(static_cast<std::uint64_t>(n), {out.col(n).data(), static_cast<std::size_t>(d)});
    out.col(n).normalize();
  }
  return out;
}

/// Theta of rank r, from Theta A and B^T Theta for random A and B of r columns: Theta = (Theta A) (B^T Theta
/// A)^-1 (B^T Theta), since the row and column spaces of Theta are those of the outer factors. 2 r d probes.
Matrix ask_low_rank(Probes& probes, const Matrix& w, const SingleOptions& options, std::uint64_t seed) {
  const Index d = w.rows(), r = options.rank;
  const Tokens a = Tokens::of(w, unit_vectors(Stream(Domain::learner, seed, "single a"), d, r)),
               b = Tokens::of(w, unit_vectors(Stream(Domain::learner, seed, "single b"), d, r)),
               every = Tokens::of(w, Matrix::Identity(d, d));
  Matrix theta_a(d, r), b_theta(r, d);
  for (Index t = 0; t < r; ++t) {
    theta_a.col(t) = ask_products(probes, every, a.repeated(t, d), options.theta_bound);
    b_theta.row(t) = ask_products(probes, b.repeated(t, d), every, options.theta_bound).transpose();
  }
  return theta_a * least_squares(Matrix(b.u.transpose() * theta_a), b_theta);
}

/// Relative squared error of a layer at everything that was asked. Row 1 of the answers was not used to find
/// it.
double error_at(const std::vector<Block>& asked, const Layer& layer, const StopToken& stop) {
  const LayerTeacher teacher(layer);
  double error = 0, total = 0;
  for (const Block& block : asked) {
    stop.check();
    Block said = block;
    teacher.label(said);
    error += (said.y - block.y).squaredNorm();
    total += block.y.squaredNorm();
  }
  return attention::relative_error(error, total);
}

void learn(const SingleOptions& options, const ValueRun& run) {
  Probes probes{*run.values};
  const Index d = run.values->d();
  if (run.task.heads.value_or(1) != 1)
    throw InputError(fmt::format("single learns one head, not heads = {}", *run.task.heads));
  if (options.rank > 0 && probes.oracle.last_is_one())
    throw InputError(
        fmt::format("single: rank={} is for layers without biases: the random probes of a low rank "
                    "choose the last feature",
                    options.rank));
  if (options.rank > d) throw InputError(fmt::format("single: rank={} is more than d={}", options.rank, d));
  const Matrix w = run.recorder.phase("w", [&](Phase&) { return ask_w(*run.values); });
  const Matrix theta = run.recorder.phase("theta", [&](Phase&) {
    return options.rank > 0 ? ask_low_rank(probes, w, options, run.task.seed)
                            : ask_entries(probes, w, options.theta_bound);
  });
  const Layer layer{d, {{theta, w}}};
  run.recorder.phase("check", [&](Phase& phase) {
    // An answer's error is amplified by up to about 100.
    const double per_entry = w.norm() / static_cast<double>(d), share = run.values->tau() / per_entry;
    const double error = error_at(probes.asked, layer, run.context.stop), most = 1e-12 + 1e4 * share * share;
    phase.add("error_at_queries", error);
    if (!(error <= most))
      throw Failed{fmt::format(
          "row 1 of the answers is not that of the head found: relative squared error {:.2g}, at "
          "most {:.2g} is expected. There are more heads, or Theta has a larger rank than was said",
          error, most)};
  });
  run.recorder.report().layer = layer;
  run.recorder.report().message = "The head was read off, and the rows that were not used for it agree.";
}

class Single final : public ValueAlgorithm {
 public:
  explicit Single(SingleOptions options) : options_(options) {}

  Told told() const override { return options_.rank > 0 ? Told::form : Told::nothing; }
  Needs needs() const override { return {.real_tokens = true, .takes_biases = true}; }
  void run(const ValueRun& run) const override { learn(options_, run); }

  // All probes are kept: d or 2 r blocks of d queries. A few matrices are made of a block, and in the end the
  // layer's own answers.
  std::optional<RunMemory> predicted_memory(LayerShape layer, const Task&) const override {
    constexpr double matrices = 6;
    const Index d = layer.d, blocks = options_.rank > 0 ? 2 * options_.rank : d;
    const PassShape pass{d, 2, 1, false};
    const double block = attention::example_bytes(d, 2, d), forward = attention::forward_bytes(pass),
                 answers = block + answer_bytes(pass, d);
    return RunMemory{.work = block * static_cast<double>(blocks + 1) + forward + answers +
                             matrices * attention::layer_bytes(d, 1),
                     .report = attention::layer_bytes(d, 2),
                     .queries_at_once = d};
  }

 private:
  SingleOptions options_;
};

}  // namespace

// S. Bhattamishra et al., arXiv 2601.16873 (ICML 2026): one head from d^2 + d values, of low rank from O(r
// d), and under noise from probes whose logits stay within 1/2. The scale s and the recovery by two sketches
// are ours.
const Method single_method = method_of<Single>(
    "single", "one head from real tokens: e_i alone shows a row of W, [u + e_j; e_j] an entry of Theta",
    "exact for exact answers, one head with no row of W that is 0: d^2 + d queries; d + 2 r d of "
    "rank r (Bhattamishra et al., arXiv 2601.16873)",
    OptionTable<SingleOptions>()
        .integer("rank", &SingleOptions::rank, 0, 1024, "of Theta, where it is known to be low; 0: it is not")
        .real("theta_bound", &SingleOptions::theta_bound, 0, 1e6,
              "of |b^T Theta a| over unit probes: probes are scaled so that logits are within 1/2, which "
              "is best where answers are off; 0: probes as they are"));

}  // namespace hardhead::learner
