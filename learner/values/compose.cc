#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "attention/samples/relative_error.h"
#include "base/numeric/decompositions.h"
#include "learner/network/critical_points.h"
#include "learner/network/network_squares.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

using network::Hinges;
using network::Inverse;

enum class NetworkBy { critical_points };
constexpr auto enum_names(NetworkBy) {
  return std::to_array<EnumName<NetworkBy>>({{NetworkBy::critical_points, "critical-points"}});
}

enum class AttentionBy { mobius, single };
constexpr auto enum_names(AttentionBy) {
  return std::to_array<EnumName<AttentionBy>>(
      {{AttentionBy::mobius, "mobius"}, {AttentionBy::single, "single"}});
}

struct ComposeOptions {
  NetworkBy network = NetworkBy::critical_points;
  AttentionBy attention = AttentionBy::mobius;
  Index polish = 0;
};

/// Values of the heads in front of a network, from values of both: what a learner of layers is put on.
///
///     without a residual   v_r = N~^-1(T(X)_r) = (F(X) W_sum^-1)_r: the layer with W_sum = I
///     with one             F(X)_r = v_r M^T - x_r,   M = I + W_sum^T
///
/// N~ is the network as X of one row show it. Each X costs one query of the oracle of T.
class InvertedNetwork final : public Teacher {
 public:
  /// `residual`: M; empty for none. The oracle must outlive it.
  InvertedNetwork(ValueOracle& values, Inverse inverse, Matrix residual, StopToken stop)
      : values_(values),
        inverse_(std::move(inverse)),
        residual_(std::move(residual)),
        stop_(std::move(stop)) {}

  /// Throws Failed where N~ is not injective, and what the oracle of T throws.
  void label(Block& block) const override {
    Block asked = block;
    values_.ask(asked);
    for (Index c = 0; c < block.x.cols(); ++c) {
      stop_.check();
      const Vector v = inverse_(asked.y.col(c));
      block.y.col(c) = residual_.size() == 0 ? v : Vector(residual_ * v - block.x.col(c));
    }
  }
  Labelled labelled() const override { return values_.domain(); }

 private:
  ValueOracle& values_;
  Inverse inverse_;
  Matrix residual_;
  StopToken stop_;
};

/// T at single tokens, columns of x.
Matrix ask_rows(ValueOracle& oracle, const Matrix& x) {
  Block block(oracle.d(), 1, x.cols());
  block.x = x;
  oracle.ask(block);
  return block.y;
}

/// M of a residual, v = M^-1 (x + F(X)), or nothing without one. At X = [0; e_j] all logits of row 1 are 0,
/// so that F(X)_1 = W_sum^T e_j / 2 whatever the heads are, and
///
///     v_1 = (I - M^-1) e_j / 2  with a residual, M = I + W_sum^T;   e_j / 2  without.
Matrix ask_residual(ValueOracle& oracle, const Inverse& inverse) {
  const Index d = oracle.d();
  Block block(d, 2, d);
  block.x.leftCols(d).setZero();
  block.x.rightCols(d).setIdentity();
  oracle.ask(block);
  Matrix v(d, d);
  for (Index j = 0; j < d; ++j) v.col(j) = inverse(block.y.col(j));
  const Matrix inverse_m = Matrix::Identity(d, d) - 2 * v;
  constexpr double none = 1e-5;
  if (inverse_m.norm() <= none * std::sqrt(static_cast<double>(d))) return {};
  return hardhead::inverse(inverse_m);
}

/// The units with the signs they have: those for which the linear part is `linear`, 0 or M. With relu(z) = z
/// + relu(-z) a unit of the other sign moves B_j A_j and B_j a_j out of the linear part and the constant, so
/// that
///
///     linear - P = sum_j s_j B_j A_j,   s_j = 1 for units that have to be turned, 0 for others.
void set_signs(Hinges& hinges, const Matrix& linear) {
  const Index d = linear.rows(), h = hinges.units();
  if (h > d * d)
    throw Failed{fmt::format("{} units are more than d^2 = {}: their signs are not determined", h, d * d)};
  Matrix products(d * d, h);
  for (Index j = 0; j < h; ++j) products.col(j) = (hinges.out.col(j) * hinges.in.row(j)).reshaped();
  const Vector s = least_squares(products, Vector((linear - hinges.linear).reshaped()));
  for (Index j = 0; j < h; ++j) {
    const bool turned = s(j) > 0.5;
    constexpr double off = 1e-2;
    if (!(std::abs(s(j) - (turned ? 1 : 0)) <= off))
      throw Failed{fmt::format(
          "the sign of unit {} comes out as {:.3g}, not 0 or 1: this is no network behind heads with a "
          "residual or without, or a unit never switches where it was looked for",
          j, s(j))};
    if (!turned) continue;
    hinges.constant += hinges.out.col(j) * hinges.in_bias(j);
    hinges.in.row(j) *= -1;
    hinges.in_bias(j) *= -1;
  }
  hinges.linear = linear;
}

/// In front of F, where v is behind W_sum: A_j v = (A_j M^-1) u.
Network network_of(const Hinges& hinges, const Matrix& residual) {
  Network out{hinges.in, hinges.in_bias, hinges.out, hinges.constant, residual.size() > 0};
  if (out.residual) out.in = hinges.in * inverse(residual);
  return out;
}

/// Runs the learner of the layer on the inverted oracle. Its phases are among those of this run.
Layer learn_layer(const ComposeOptions& options, const ValueRun& run, const Inverse& inverse,
                  const Matrix& residual, const Network& network) {
  const double scale = residual.size() > 0 ? residual.norm() : 1;
  constexpr double rounding = 1e-14;  // of an answer, and of the network found
  ValueOracle behind(std::make_shared<InvertedNetwork>(*run.values, inverse, residual, run.context.stop),
                     run.values->d(),
                     {.label_error = (run.values->tau() + rounding) * inverse.magnification() * scale});
  Report& report = run.recorder.report();
  Report found = learn(Learner(Spec{name_of(options.attention), {}}), behind, run.task, run.context);
  for (Phase& phase : found.phases) {
    for (Estimate& estimate : phase.estimates)
      if (auto* layer = std::get_if<Layer>(&estimate)) layer->network = network;
    report.phases.push_back(std::move(phase));
  }
  switch (found.ending) {
    case Ending::finished:
      break;
    case Ending::stopped:
      throw Stopped(found.message);
    case Ending::out_of_queries:
      throw OutOfQueries{*run.values->account().budget()};
    default:
      throw Failed{found.message, found.failed_phase};
  }
  found.layer->network = network;
  return *std::move(found.layer);
}

double block_error_at_fresh(const ValueRun& run, const Layer& layer) {
  constexpr Index queries = 4;
  Block block(layer.d, 2, queries);
  attention::draw_tokens(Inputs::boolean, Stream(Domain::learner, run.task.seed, "compose check"), 0, block);
  run.values->ask(block);
  const RowMatrix values = block.y;
  LayerTeacher(layer).label(block);
  return attention::relative_error((values - block.y).squaredNorm(), values.squaredNorm());
}

/// All numbers at once by Gauss-Newton on values at this many random X, a tenth of them held back. What
/// answers are off by is averaged.
void polish(Index queries, const ValueRun& run) {
  Report& report = run.recorder.report();
  run.recorder.phase("joint_polish", [&](Phase& phase) {
    std::vector<Block> training, holdout;
    const Index held_back = std::max<Index>(1, queries / 10);
    const Stream stream(Domain::learner, run.task.seed, "compose polish");
    for (Index first = 0; first < queries;) {
      const bool fitted = first < queries - held_back;
      Block block(report.layer->d, 2,
                  std::min<Index>(attention::block_size, (fitted ? queries - held_back : queries) - first));
      attention::draw_tokens(Inputs::gaussian, stream, first, block);
      run.values->ask(block);
      first += block.count;
      (fitted ? training : holdout).push_back(std::move(block));
    }
    const GaussNewtonResult fit =
        fit_with_network(training, holdout, *report.layer, {.iterations = 30}, run.context, phase.name);
    const double before = fit.curve.front().holdout_error;
    phase.add("error_before", before);
    phase.add("holdout_error", fit.holdout_error);
    if (fit.holdout_error < before) report.layer = fit.layer;
  });
}

void learn_block(const ComposeOptions& options, const ValueRun& run) {
  ValueOracle& oracle = *run.values;
  const Stream stream(Domain::learner, run.task.seed, "compose");
  Hinges hinges = run.recorder.phase("network", [&](Phase& phase) {
    const auto values = [&](const Matrix& x) { return ask_rows(oracle, x); };
    Hinges out = network::find_hinges(values, {oracle.d(), oracle.tau(), stream, run.context.stop});
    phase.add("units", static_cast<double>(out.units()));
    if (out.units() == 0)
      throw Failed{
          "values of one row have no critical points: there is no network behind the heads (`mobius` and "
          "`single` learn heads alone)"};
    return out;
  });
  const Inverse inverse = run.recorder.phase("inverse", [&](Phase& phase) {
    Inverse out(hinges);
    phase.add("magnification", out.magnification());
    return out;
  });
  const Matrix residual = run.recorder.phase("residual", [&](Phase& phase) {
    Matrix out = ask_residual(oracle, inverse);
    phase.add("residual", out.size() > 0 ? 1 : 0);
    set_signs(hinges, out.size() > 0 ? out : Matrix::Zero(oracle.d(), oracle.d()));
    return out;
  });
  const Layer layer = learn_layer(options, run, inverse, residual, network_of(hinges, residual));
  run.recorder.phase("fresh_values", [&](Phase& phase) {
    constexpr double most = 1e-2;
    const double error = block_error_at_fresh(run, layer);
    phase.add("block_error", error);
    if (!(error <= most))
      throw Failed{
          fmt::format("the block found misses fresh values: relative squared error {:.2g}, at most {} "
                      "is expected",
                      error, most)};
  });
  run.recorder.report().layer = layer;
  if (options.polish > 0) polish(options.polish, run);
  run.recorder.report().message =
      fmt::format("A network of {} units {} was found and inverted, and {} heads in front of it.",
                  hinges.units(), residual.size() > 0 ? "with a residual" : "without a residual", layer.m());
}

class Compose final : public ValueAlgorithm {
 public:
  explicit Compose(ComposeOptions options) : options_(options) {}

  Needs needs() const override { return {.real_tokens = true}; }
  void run(const ValueRun& run) const override { learn_block(options_, run); }

 private:
  ComposeOptions options_;
};

}  // namespace

const Method compose_method = method_of<Compose>(
    "compose",
    "a layer and the network behind it: the network from X of one row, inverted in front of a learner",
    "exact for exact answers, a network of one hidden layer that is injective, at most d^2 units in general "
    "position, and what the learner of the layer asks",
    OptionTable<ComposeOptions>()
        .choice("network", &ComposeOptions::network, "how the network is found")
        .choice("attention", &ComposeOptions::attention, "the learner of the layer in front of it")
        .integer("polish", &ComposeOptions::polish, 0, 1e6,
                 "random X of two tokens for a Gauss-Newton fit of everything at once in the end; 0: none"));

}  // namespace hardhead::learner
