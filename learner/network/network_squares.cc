#include "learner/network/network_squares.h"

#include <algorithm>
#include <vector>

#include "attention/forward/matrix_product.h"
#include "attention/forward/token_products.h"
#include "base/run/parallel.h"
#include "learner/network/network_metric.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {

using namespace attention;

namespace {

/// A thread's buffers.
struct Scratch {
  BlockLoss::Scratch heads;
  RowMatrix u, hidden;      ///< of a block, behind its heads
  RowMatrix change, inner;  ///< of the network's outputs and of its units
  RowMatrix rows;           ///< whose moments are taken
};

class NetworkSquares final : public Linearised {
 public:
  NetworkSquares(const std::vector<Block>& blocks, const NetworkShape& shape, const Stacked& parameters,
                 const StopToken& stop)
      : blocks_(blocks),
        shape_(shape),
        stop_(stop),
        head_rows_(parameters.rows() - shape.rows(parameters.cols())),
        heads_(unstack(parameters.topRows(head_rows_))),
        loss_(Stacked::Zero(parameters.rows(), parameters.cols())) {
    NetworkSquares::move_to(parameters);
  }

  void move_to(const Stacked& parameters) override {
    heads_ = BlockLoss(unstack(parameters.topRows(head_rows_)));
    network_ = to_network(shape_, parameters.bottomRows(parameters.rows() - head_rows_));
    linearise();
  }

  double relative_error() const override { return loss_.relative_error(); }
  const Stacked& gradient() const override { return loss_.gradient; }

  Stacked normal_product(const Stacked& v) const override {
    const TokenMaps of_heads{RowMatrix(v.topRows(head_rows_))};
    const Network of_network = to_network(shape_, v.bottomRows(v.rows() - head_rows_));
    return deterministic_reduce(
               static_cast<std::int64_t>(blocks_.size()), blocks_a_run,
               Stacked(Stacked::Zero(v.rows(), v.cols())),
               [&](Stacked& part, std::int64_t b) { add_normal_product(b, of_heads, of_network, part); },
               [](Stacked& left, const Stacked& right) { left += right; }) /
           unit_;
  }

  std::unique_ptr<const Preconditioner> preconditioner() const override;

 private:
  /// u and relu(z) of a block, from its tokens.
  void pass(const Block& block, Scratch& at) const {
    heads_.attend(block, at.heads.attended);
    if (shape_.residual)
      at.u = block.x;
    else
      at.u.setZero(block.d(), block.x.cols());
    for (Index i = 0; i < heads_.m(); ++i)
      add_token_mixtures(at.heads.attended.p.middleRows(i * block.k, block.k),
                         at.heads.attended.v.middleRows(i * block.d(), block.d()), block.k, block.count,
                         at.u);
    set_product(at.hidden, network_.in, at.u);
    at.hidden = (at.hidden.colwise() + network_.in_bias).cwiseMax(0).eval();
  }

  /// J^T times at.change.
  void add_adjoint(const Block& block, Scratch& at, Stacked& sum) const {
    auto rows = sum.bottomRows(sum.rows() - head_rows_);
    add_product(rows.middleRows(shape_.first_out(), shape_.units), at.hidden, at.change.transpose());
    rows.row(shape_.out_bias()) += at.change.rowwise().sum().transpose();
    set_product(at.inner, network_.out.transpose(), at.change);
    at.inner = (at.hidden.array() > 0).select(at.inner, 0).eval();
    add_product(rows.topRows(shape_.units), at.inner, at.u.transpose());
    shape_.add_in_bias(at.inner.rowwise().sum(), sum.bottomRows(sum.rows() - head_rows_));
    RowMatrix& behind_heads = at.heads.residual;
    if (shape_.residual)
      behind_heads = at.change;
    else
      behind_heads.setZero(at.change.rows(), at.change.cols());
    add_product(behind_heads, network_.in.transpose(), at.inner);
    Stacked of_heads = Stacked::Zero(head_rows_, sum.cols());
    heads_.add_adjoint(block, at.heads.attended, at.heads, of_heads);
    sum.topRows(head_rows_) += of_heads;
  }

  void add_normal_product(std::int64_t b, const TokenMaps& of_heads, const Network& of_network,
                          Stacked& sum) const {
    const Block& block = blocks_[static_cast<std::size_t>(b)];
    Scratch& at = scratch_.local();
    pass(block, at);
    heads_.set_derivative(block, at.heads.attended, of_heads, at.heads, stop_);
    const RowMatrix& du = at.heads.residual;
    set_product(at.inner, network_.in, du);
    add_product(at.inner, of_network.in, at.u);
    at.inner = (at.hidden.array() > 0).select(at.inner.colwise() + of_network.in_bias, 0).eval();
    set_product(at.change, network_.out, at.inner);
    add_product(at.change, of_network.out, at.hidden);
    at.change.colwise() += of_network.out_bias;
    if (shape_.residual) at.change += du;
    add_adjoint(block, at, sum);
  }

  void linearise() {
    loss_ = deterministic_reduce(
        static_cast<std::int64_t>(blocks_.size()), blocks_a_run,
        Loss(Stacked::Zero(loss_.gradient.rows(), loss_.gradient.cols())),
        [&](Loss& part, std::int64_t b) {
          stop_.check();
          const Block& block = blocks_[static_cast<std::size_t>(b)];
          Scratch& at = scratch_.local();
          pass(block, at);
          at.change = -block.y;
          part.total += at.change.squaredNorm();
          if (shape_.residual) at.change += at.u;
          add_product(at.change, network_.out, at.hidden);
          at.change.colwise() += network_.out_bias;
          part.error += at.change.squaredNorm();
          add_adjoint(block, at, part.gradient);
        },
        [](Loss& left, const Loss& right) { left += right; });
    unit_ = std::max(loss_.total, 1e-300);
    loss_.gradient /= unit_;
  }

  void add_moments(const Block& block, NetworkMoments& sum) const;
  Vector theta_curvatures() const;

  const std::vector<Block>& blocks_;
  NetworkShape shape_;
  StopToken stop_;
  Index head_rows_;
  BlockLoss heads_;
  Network network_;
  Loss loss_;
  double unit_ = 1;  // sum ||Y||^2, but not 0
  mutable tbb::enumerable_thread_specific<Scratch> scratch_;
};

void NetworkSquares::add_moments(const Block& block, NetworkMoments& sum) const {
  const Index d = heads_.d(), h = shape_.units;
  Scratch& at = scratch_.local();
  pass(block, at);
  at.rows.resize(std::max({sum.means.rows(), h + 1, d + 1}), at.u.cols());
  const auto add_square = [&](Index rows, Matrix& to) {
    to.noalias() += at.rows.topRows(rows) * at.rows.topRows(rows).transpose();
  };
  at.rows.topRows(h) = at.hidden;
  at.rows.row(h).setOnes();
  add_square(h + 1, sum.units);
  at.rows.topRows(h) = (at.hidden.array() > 0).cast<double>();
  add_square(h + 1, sum.active);
  at.rows.topRows(d) = at.u;
  at.rows.row(d).setOnes();
  add_square(d + 1, sum.inputs);
  for (Index i = 0; i < heads_.m(); ++i)
    token_mixtures(at.heads.attended.p.middleRows(i * block.k, block.k), block.x, block.k, block.count,
                   at.rows.middleRows(i * d, d));
  add_square(sum.means.rows(), sum.means);
}

// The mean of the diagonal of J^T J in each Theta_i, from random vectors of signs (M. Hutchinson, 1990).
Vector NetworkSquares::theta_curvatures() const {
  constexpr int probes = 4;
  constexpr double least = 1e-8;
  const Index d = heads_.d(), m = heads_.m();
  Vector out = Vector::Zero(m);
  for (int probe = 0; probe < probes; ++probe) {
    std::vector<double> numbers(static_cast<std::size_t>(m * d * d));
    Stream(Domain::learner, static_cast<std::uint64_t>(probe), "network squares").normals(0, numbers);
    Stacked signs = Stacked::Zero(loss_.gradient.rows(), d);
    signs.topRows(m * d) = Eigen::Map<const Stacked>(numbers.data(), m * d, d).unaryExpr([](double x) {
      return x < 0 ? -1.0 : 1.0;
    });
    const Stacked image = normal_product(signs);
    for (Index i = 0; i < m; ++i)
      out(i) += signs.middleRows(i * d, d).cwiseProduct(image.middleRows(i * d, d)).mean() / probes;
  }
  return out.cwiseMax(least * out.maxCoeff() + 1e-300);
}

std::unique_ptr<const Linearised::Preconditioner> NetworkSquares::preconditioner() const {
  const NetworkMoments moments = deterministic_reduce(
      static_cast<std::int64_t>(blocks_.size()), blocks_a_run,
      NetworkMoments(heads_.d(), heads_.m(), shape_.units),
      [&](NetworkMoments& part, std::int64_t b) {
        stop_.check();
        add_moments(blocks_[static_cast<std::size_t>(b)], part);
      },
      [](NetworkMoments& left, const NetworkMoments& right) { left += right; });
  return std::make_unique<NetworkMetric>(network_, moments, unit_, theta_curvatures());
}

}  // namespace

OptionTable<NetworkShape> network_rows(std::string units_meaning) {
  return OptionTable<NetworkShape>(NetworkShape{0, true})
      .integer("width", &NetworkShape::units, 0, 1024, std::move(units_meaning))
      .integer("residual", &NetworkShape::residual, 0, 1,
               "1: x_r is added before the network, and its input behind it");
}

Stacked stack_all(const Layer& layer) {
  const Stacked heads = stack(layer), network = to_rows(*layer.network);
  Stacked out(heads.rows() + network.rows(), layer.d);
  out << heads, network;
  return out;
}

Layer unstack_all(const NetworkShape& shape, const Stacked& stacked) {
  const Index rows = shape.rows(stacked.cols());
  Layer layer = unstack(stacked.topRows(stacked.rows() - rows));
  layer.network = to_network(shape, stacked.bottomRows(rows));
  return layer;
}

FitProblem layers_with_network(const std::vector<Block>& training, const NetworkShape& shape,
                               const StopToken& stop) {
  return {[shape](const Stacked& parameters) { return unstack_all(shape, parameters); },
          [&training, shape, stop](const Stacked& parameters) {
            return std::make_unique<NetworkSquares>(training, shape, parameters, stop);
          }};
}

GaussNewtonResult fit_with_network(const std::vector<Block>& training, const std::vector<Block>& holdout,
                                   const Layer& start, const GaussNewtonOptions& options,
                                   const RunContext& context, std::string_view phase) {
  GaussNewton fit(layers_with_network(training, shape_of(start), context.stop), holdout, stack_all(start),
                  options, context.stop);
  fit.minimise(context.progress, phase);
  return fit.result();
}

double network_fit_bytes(const PassShape& pass, const NetworkShape& shape, std::int64_t examples) {
  constexpr double points = 12;
  const Index rows = 2 * pass.m * pass.d + shape.rows(pass.d);
  const double parameters = 8 * static_cast<double>(rows * pass.d),
               columns = 8 * static_cast<double>(pass.k * block_size),
               scratch =
                   block_loss_bytes(pass) +
                   columns * static_cast<double>(2 * pass.d + 4 * shape.units +
                                                 std::max({pass.m * pass.d, shape.units + 1, pass.d + 1}));
  const auto sums = static_cast<double>(most_partial_results(blocks_of(examples), blocks_a_run));
  return (points + 2 * sums) * parameters + RecycledDirections::bytes(rows * pass.d) +
         sums * NetworkMetric::moments_bytes(pass, shape) + NetworkMetric::bytes(pass, shape) +
         2 * (forward_bytes(pass) + threads() * scratch) + token_maps_bytes(pass.d, 2 * pass.m, pass.signs) +
         relative_error_bytes(pass);
}

}  // namespace hardhead::learner
