#include "learner/network/network_squares.h"

#include <algorithm>
#include <utility>

#include "attention/forward/matrix_product.h"
#include "attention/forward/token_products.h"
#include "learner/objective/cholesky.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {
namespace {

/// Sums over all rows of the examples, for a network of h units behind m heads: with u its input, e = 1 where
/// a unit is active and 0 elsewhere, and the heads' mean tokens sum_j p_ij x_j on top of each other.
struct NetworkMoments {
  NetworkMoments(Index d, Index m, Index h)
      : units(Matrix::Zero(h + 1, h + 1)),
        active(Matrix::Zero(h + 1, h + 1)),
        inputs(Matrix::Zero(d + 1, d + 1)),
        means(Matrix::Zero(m * d, m * d)) {}
  void operator+=(const NetworkMoments& other) {
    units += other.units, active += other.active, inputs += other.inputs, means += other.means;
  }

  Matrix units;   ///< of (relu(z), 1), times itself transposed: (h+1) x (h+1)
  Matrix active;  ///< of (e, 1): (h+1) x (h+1)
  Matrix inputs;  ///< of (u, 1): (d+1) x (d+1)
  Matrix means;   ///< of the mean tokens: m d x m d
};

double moments_bytes(const PassShape& pass, const NetworkShape& shape) {
  const auto square = [](Index n) { return 8 * static_cast<double>(n * n); };
  return 2 * square(shape.units + 1) + square(pass.d + 1) + square(pass.m * pass.d);
}

// B^T B o E[e e^T].
Matrix between_units(const Network& network, const NetworkMoments& moments) {
  const Index d = network.in.cols(), h = network.width();
  return (network.out.transpose() * network.out).cwiseProduct(moments.active.topLeftCorner(h, h)) /
         moments.inputs(d, d);
}

// E[G^T G].
Matrix squared_slopes(const Network& network, const NetworkMoments& moments) {
  const Index d = network.in.cols(), h = network.width();
  Matrix out = network.in.transpose() * between_units(network, moments) * network.in;
  if (network.residual) {
    const Matrix mean =
        network.out * (moments.active.col(h).head(h) / moments.inputs(d, d)).asDiagonal() * network.in;
    out += mean + mean.transpose() + Matrix::Identity(d, d);
  }
  return out;
}

// V to left V right.
struct Kronecker {
  RidgedMatrix left, right;

  Matrix apply(const Matrix& v) const { return left.matrix * v * right.matrix; }
  Matrix solve(const Matrix& v) const {
    return right.factor.solve(left.factor.solve(v).transpose()).transpose();
  }
};

/// What J^T J is, block by block, if activity and inputs were independent (K-FAC: J. Martens, R. Grosse,
/// 2015). On stacked V, over n rows and in units of sum ||Y||^2,
///
///     [B b]^T    E[(relu(z), 1) (relu(z), 1)^T] V                    exact
///     [A a]      (B^T B o E[e e^T]) V E[(u, 1) (u, 1)^T]
///     (W_i^T)_i  E[G^T G] V E[means means^T]                         G = B diag(e) A, and I of a residual
///
/// and a number for each Theta_i. Each factor has a ridge.
class NetworkMetric final : public Linearised::Preconditioner {
 public:
  /// `theta` has the number of each Theta_i; `unit` is sum ||Y||^2.
  NetworkMetric(const Network& network, const NetworkMoments& moments, double unit, Vector theta)
      : d_(network.in.cols()),
        shape_{network.width(), network.residual},
        theta_(std::move(theta)),
        out_{RidgedMatrix(moments.units / unit), RidgedMatrix(Matrix::Identity(d_, d_))},
        in_{RidgedMatrix(between_units(network, moments)), RidgedMatrix(moments.inputs / unit)},
        w_{RidgedMatrix(squared_slopes(network, moments)), RidgedMatrix(moments.means / unit)} {}

  Stacked apply(const Stacked& v) const override { return mapped(v, &Kronecker::apply, theta_); }
  Stacked solve(const Stacked& v) const override {
    return mapped(v, &Kronecker::solve, theta_.cwiseInverse());
  }

 private:
  using Map = Matrix (Kronecker::*)(const Matrix&) const;
  Stacked mapped(const Stacked& v, Map map, const Vector& of_theta) const {
    const Index m = theta_.size(), h = shape_.units;
    Stacked out = v;  // what fills the last row of a stays as it is
    Matrix heads(d_, m * d_);
    for (Index i = 0; i < m; ++i) {
      out.middleRows(i * d_, d_) *= of_theta(i);
      heads.middleCols(i * d_, d_) = v.middleRows((m + i) * d_, d_);
    }
    heads = (w_.*map)(heads);
    for (Index i = 0; i < m; ++i) out.middleRows((m + i) * d_, d_) = heads.middleCols(i * d_, d_);

    const auto network = v.bottomRows(v.rows() - 2 * m * d_);
    auto to = out.bottomRows(v.rows() - 2 * m * d_);
    to.middleRows(shape_.first_out(), h + 1) = (out_.*map)(network.middleRows(shape_.first_out(), h + 1));
    Matrix in(h, d_ + 1);
    in << network.topRows(h), shape_.in_bias(network);
    in = (in_.*map)(in);
    to.topRows(h) = in.leftCols(d_);
    shape_.add_in_bias(in.col(d_) - shape_.in_bias(network), to.topRows(to.rows()));
    return out;
  }

  Index d_;
  NetworkShape shape_;
  Vector theta_;
  Kronecker out_, in_, w_;
};

/// A thread's buffers.
struct Scratch {
  BlockLoss::Scratch heads;
  RowMatrix u, hidden;      ///< of a block, behind its heads
  RowMatrix change, inner;  ///< of the network's outputs and of its units
  RowMatrix rows;           ///< whose moments are taken
};

class NetworkSquares final : public LinearisedOnBlocks {
 public:
  NetworkSquares(const std::vector<Block>& blocks, const NetworkShape& shape, const Stacked& parameters,
                 const StopToken& stop)
      : LinearisedOnBlocks(blocks, Stacked::Zero(parameters.rows(), parameters.cols()), stop),
        shape_(shape),
        head_rows_(parameters.rows() - shape.rows(parameters.cols())),
        heads_(unstack(parameters.topRows(head_rows_))) {
    NetworkSquares::move_to(parameters);
  }

  void move_to(const Stacked& parameters) override {
    heads_ = BlockLoss(unstack(parameters.topRows(head_rows_)));
    network_ = to_network(shape_, parameters.bottomRows(parameters.rows() - head_rows_));
    linearise();
  }

  Stacked normal_product(const Stacked& v) const override {
    const TokenMaps of_heads{RowMatrix(v.topRows(head_rows_))};
    const Network of_network = to_network(shape_, v.bottomRows(v.rows() - head_rows_));
    return relative_sum(
        [&](Stacked& part, std::size_t b) { add_normal_product(blocks_[b], of_heads, of_network, part); });
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

  void add_normal_product(const Block& block, const TokenMaps& of_heads, const Network& of_network,
                          Stacked& sum) const {
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
    set_loss([&](Loss& part, std::size_t b) {
      const Block& block = blocks_[b];
      Scratch& at = scratch_.local();
      pass(block, at);
      at.change = -block.y;
      part.total += at.change.squaredNorm();
      if (shape_.residual) at.change += at.u;
      add_product(at.change, network_.out, at.hidden);
      at.change.colwise() += network_.out_bias;
      part.error += at.change.squaredNorm();
      add_adjoint(block, at, part.gradient);
    });
  }

  void add_moments(const Block& block, NetworkMoments& sum) const;
  Vector theta_curvatures() const;

  NetworkShape shape_;
  Index head_rows_;
  BlockLoss heads_;
  Network network_;
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
  const NetworkMoments moments =
      summed(NetworkMoments(heads_.d(), heads_.m(), shape_.units),
             [&](NetworkMoments& part, std::size_t b) { add_moments(blocks_[b], part); });
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
         (sums + 2) * moments_bytes(pass, shape) + 2 * (forward_bytes(pass) + threads() * scratch) +
         token_maps_bytes(pass.d, 2 * pass.m, pass.signs) + relative_error_bytes(pass);
}

}  // namespace hardhead::learner
