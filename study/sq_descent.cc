#include "study/sq_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "hardness/family.h"
#include "learner/loss.h"
#include "sq/answerer.h"
#include "study/null_predictor.h"

namespace hardhead::study {
namespace {

using attention::Block;
using attention::Index;
using attention::Layer;
using attention::Matrix;
using attention::RowMatrix;
using learner::BlockLoss;

/// All inputs, in blocks of one token-0 each: example z of block c has x_1 = c and x_2 = c xor z, so that it has
/// z_j = x_1j x_2j. Labels are `first` or `second`, by member and z.
struct Inputs {
  Block block;       // x, and labels `first`
  RowMatrix second;  // like block.y
};

struct Class {
  Index d = 0;
  std::vector<Inputs> inputs;
  /// Does member f label examples with this z by `first`?
  std::vector<std::vector<bool>> takes_first;
  std::int64_t target = 0;
  bool coin = true;  ///< null labels are `first` or `second` by a fair coin, else always `second`
  double null_loss = 1, total = 1;  ///< mean |null - Y|^2 and |Y|^2
};

void fill_tokens(Block& block, std::uint32_t c) {
  for (Index z = 0; z < block.count; ++z)
    for (Index j = 0; j < block.d(); ++j) {
      const auto sign = [j](std::uint32_t bits) { return (bits >> j & 1) != 0 ? -1.0 : 1.0; };
      block.x(j, block.column(0, z)) = sign(c);
      block.x(j, block.column(1, z)) = sign(c ^ static_cast<std::uint32_t>(z));
    }
}

/// Where the switch is off both labels are the one; where it is on, `first` is the label of even parity.
void pair_labels(Class& out, const hardness::Instance& instance) {
  const Index switch_bit = out.d - 1;
  std::uint32_t hidden = 0;
  for (const Index j : instance.hidden) hidden |= std::uint32_t{1} << j;
  const std::uint32_t on = std::uint32_t{1} << switch_bit;
  // Y_{r,1} = x_{r,j0} level, one level for each parity.
  double level[2] = {0, 0};
  const Block& some = out.inputs.front().block;
  for (std::uint32_t z = on; z < 2 * on; ++z)
    level[std::popcount(z & hidden) % 2] =
        some.y(0, some.column(0, z)) / some.x(switch_bit, some.column(0, z));
  for (Inputs& inputs : out.inputs)
    for (std::uint32_t z = on; z < 2 * on; ++z)
      for (Index r = 0; r < 2; ++r) {
        const Index column = inputs.block.column(r, z);
        inputs.block.y(0, column) = inputs.block.x(switch_bit, column) * level[0];
        inputs.second(0, column) = inputs.block.x(switch_bit, column) * level[1];
      }
  for (std::uint32_t s = 0; s < on; ++s) {
    if (std::popcount(s) != static_cast<int>(instance.hidden.size())) continue;
    if (s == hidden) out.target = static_cast<std::int64_t>(out.takes_first.size());
    std::vector<bool> first;
    for (std::uint32_t z = 0; z < 2 * on; ++z)
      first.push_back((z & on) == 0 || std::popcount(z & s) % 2 == 0);
    out.takes_first.push_back(std::move(first));
  }
}

Class class_of(const std::string& spec) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse(spec));
  Class out;
  out.d = instance.layer.d;
  if (instance.k != 2 || instance.inputs != attention::Inputs::boolean || out.d > 8)
    throw InputError(
        fmt::format("{}: descent by queries needs k = 2, Boolean inputs and d <= 8, not k = {}, {}, d = {}",
                    spec, instance.k, attention::to_string(instance.inputs), out.d));
  const Index count = Index{1} << out.d;
  out.inputs.resize(static_cast<std::size_t>(count));
  for (Index c = 0; c < count; ++c) {
    Inputs& inputs = out.inputs[static_cast<std::size_t>(c)];
    inputs.block.resize(out.d, 2, count);
    fill_tokens(inputs.block, static_cast<std::uint32_t>(c));
    instance.teacher->label(inputs.block);
    inputs.second = inputs.block.y;
  }
  double total = 0;
  for (const Inputs& inputs : out.inputs) total += inputs.block.y.squaredNorm();
  out.total = total / static_cast<double>(count * count);
  if (!instance.hidden.empty()) {
    pair_labels(out, instance);
    out.null_loss = round_to_nearest(*instance.null.exact_error) * out.total;
  } else {
    out.takes_first.assign(1, std::vector<bool>(static_cast<std::size_t>(count), true));
    for (Inputs& inputs : out.inputs) inputs.second.setZero();
    out.coin = false;
    out.null_loss = out.total;
  }
  return out;
}

/// What one gradient needs of one block, for both labels.
struct Backward {
  RowMatrix z, h[2], u[2];  // attended tokens, H = dlogits^T x stacked, residuals
  Eigen::VectorXd loss[2];  // |F - Y|^2 by z
};

Backward backward(const BlockLoss& loss, const Inputs& inputs) {
  const Block& block = inputs.block;
  BlockLoss::Scratch scratch;
  Backward out;
  loss.attend(block, scratch.attended);
  out.z = scratch.attended.z;
  const RowMatrix f = loss.w_t() * out.z;
  Matrix unused = loss.zero().gradient;
  for (int label = 0; label < 2; ++label) {
    scratch.residual = f - (label == 0 ? block.y : inputs.second);
    out.u[label] = scratch.residual;
    loss.add_adjoint(block, scratch.attended, scratch, unused);
    out.h[label] = scratch.heads;
    const Eigen::RowVectorXd squares = out.u[label].colwise().squaredNorm();
    out.loss[label] = squares.head(block.count) + squares.tail(block.count);
  }
  return out;
}

/// The largest over all inputs and labels of sum_r |row[., r]|, for each row.
Eigen::VectorXd row_bounds(const std::vector<Backward>& passes, RowMatrix (Backward::*part)[2]) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero((passes.front().*part)[0].rows());
  for (const Backward& pass : passes)
    for (const RowMatrix& rows : pass.*part) {
      const Index count = rows.cols() / 2;
      out = out.cwiseMax(
          (rows.leftCols(count).cwiseAbs() + rows.rightCols(count).cwiseAbs()).rowwise().maxCoeff());
    }
  return out;
}

/// A power of two with room for rounding: |coordinate| <= bound(row) in double as well.
double scale_above(double bound) {
  return std::exp2(std::ceil(std::log2(std::max(bound, 1e-30)) + 1e-9));
}

/// sums[label][z] of round(2^grid_bits (a0 b0 + a1 b1) / B) over blocks.
using GridSums = std::vector<std::int64_t>;

void add_coordinate(const double* a, const double* b, Index count, double scale, std::int64_t* sums) {
  // Adding 1.5 2^52 leaves the nearest integer in the low bits (sq/query.h).
  constexpr double magic = 0x1.8p52;
  for (Index z = 0; z < count; ++z) {
    const double value = (a[z] * b[z] + a[z + count] * b[z + count]) * scale;
    sums[z] += std::bit_cast<std::int64_t>(value + magic) - std::bit_cast<std::int64_t>(magic);
  }
}

class Student {
 public:
  Student(const Class& members, const DescentOptions& options)
      : class_(members), parameters_(start(members.d, options)), velocity_(parameters_) {
    velocity_.setZero();
  }

  /// Forward and backward passes over all inputs at the present parameters.
  void run() {
    const BlockLoss loss(learner::unstack(parameters_));
    passes_.resize(class_.inputs.size());
    parallel_for_each_index(static_cast<std::int64_t>(passes_.size()), [&](std::int64_t c) {
      passes_[static_cast<std::size_t>(c)] = backward(loss, class_.inputs[static_cast<std::size_t>(c)]);
    });
    h_bound_ = row_bounds(passes_, &Backward::h);
    u_bound_ = row_bounds(passes_, &Backward::u);
  }

  Index rows() const { return parameters_.rows(); }
  Index cols() const { return parameters_.cols(); }
  /// B_p of coordinate (row, col) of the stacked parameters.
  double bound(Index row, Index col) const {
    return scale_above(row < rows() / 2 ? h_bound_(row) : u_bound_(col));
  }

  /// Exact means of the query of coordinate (row, col) under all members.
  sq::ClassMeans means(Index row, Index col) const {
    const Index count = class_.inputs.front().block.count, half = rows() / 2;
    const double scale = std::exp2(sq::grid_bits) / bound(row, col);
    GridSums sums[2] = {GridSums(static_cast<std::size_t>(count)), GridSums(static_cast<std::size_t>(count))};
    for (std::size_t c = 0; c < passes_.size(); ++c)
      for (int label = 0; label < 2; ++label) {
        const Backward& pass = passes_[c];
        if (row < half)
          add_coordinate(pass.h[label].row(row).data(), class_.inputs[c].block.x.row(col).data(), count,
                         scale, sums[label].data());
        else
          add_coordinate(pass.z.row(row - half).data(), pass.u[label].row(col).data(), count, scale,
                         sums[label].data());
      }
    sq::ClassMeans out{
        .members = {},
        .exponent = std::countr_zero(static_cast<std::uint64_t>(count * count)) + 1 + sq::grid_bits,
        .charge = sq::rounding_charge()};
    for (std::size_t z = 0; z < sums[0].size(); ++z)
      out.null += class_.coin ? sums[0][z] + sums[1][z] : 2 * sums[1][z];
    for (const std::vector<bool>& first : class_.takes_first) {
      std::int64_t sum = 0;
      for (std::size_t z = 0; z < first.size(); ++z) sum += sums[first[z] ? 0 : 1][z];
      out.members.push_back(2 * sum);
    }
    return out;
  }

  /// Mean |F - Y|^2 under a member.
  double loss(std::int64_t member) const {
    const std::vector<bool>& first = class_.takes_first[static_cast<std::size_t>(member)];
    double sum = 0;
    for (const Backward& pass : passes_)
      for (std::size_t z = 0; z < first.size(); ++z)
        sum += pass.loss[first[z] ? 0 : 1](static_cast<Index>(z));
    return sum / static_cast<double>(passes_.size() * first.size());
  }

  void step(const Matrix& gradient, const DescentOptions& options) {
    velocity_ = options.momentum * velocity_ + (1 - options.momentum) * gradient;
    parameters_ -= options.rate / (1 - options.momentum) * velocity_;
  }

 private:
  static Matrix start(Index d, const DescentOptions& options) {
    const Stream stream(Domain::learner, options.seed, "descent");
    std::vector<double> normals(static_cast<std::size_t>(2 * options.heads * d * d));
    stream.normals(0, normals);
    return Eigen::Map<Matrix>(normals.data(), 2 * options.heads * d, d) / std::sqrt(static_cast<double>(d));
  }

  const Class& class_;
  Matrix parameters_, velocity_;
  std::vector<Backward> passes_;
  Eigen::VectorXd h_bound_, u_bound_;
};

void validate(const DescentOptions& options) {
  if (options.heads < 1 || options.heads > 64)
    throw InputError(fmt::format("descent: heads={} is not in 1 .. 64", options.heads));
  if (options.steps < 1) throw InputError(fmt::format("descent: steps={} is less than 1", options.steps));
  if (!(options.rate > 0)) throw InputError(fmt::format("descent: rate={} is not positive", options.rate));
  if (!(options.momentum >= 0 && options.momentum < 1))
    throw InputError(fmt::format("descent: momentum={} is not in [0, 1)", options.momentum));
}

}  // namespace

Descent descend(const DescentOptions& options, const RunControl& control) {
  validate(options);
  const sq::Stat contract(options.tau);
  const Class members = class_of(options.target);
  Student student(members, options);
  sq::AdversarialChoice adversary(static_cast<std::int64_t>(members.takes_first.size()));
  Descent out;
  out.null_error = members.null_loss / members.total;
  std::int64_t gave_in = 0;
  const auto record = [&](std::int64_t step) {
    double loss = student.loss(members.target);
    if (options.adversarial) {
      loss = student.loss(adversary.left().front());
      for (const std::int64_t f : adversary.left()) loss = std::min(loss, student.loss(f));
    }
    const std::int64_t left = options.adversarial ? static_cast<std::int64_t>(adversary.left().size()) : 1;
    out.points.push_back({step, loss / members.total, 1 - loss / members.null_loss, left, gave_in});
  };

  std::vector<sq::ClassMeans> means(static_cast<std::size_t>(student.rows() * student.cols()));
  for (std::int64_t step = 0; step < options.steps; ++step) {
    control.check();
    control.progress("descent by queries", static_cast<double>(step) / static_cast<double>(options.steps));
    student.run();
    record(step);
    parallel_for_each_index(static_cast<std::int64_t>(means.size()), [&](std::int64_t p) {
      means[static_cast<std::size_t>(p)] = student.means(p % student.rows(), p / student.rows());
    });
    Matrix gradient(student.rows(), student.cols());
    for (std::size_t p = 0; p < means.size(); ++p) {
      const Index row = static_cast<Index>(p) % student.rows(), col = static_cast<Index>(p) / student.rows();
      sq::Reply reply;
      if (options.adversarial) {
        reply = adversary.choose(means[p], contract);
      } else {
        reply.truth = means[p].mean(members.target);
        reply.answer = reply.truth.value;
      }
      if (!contract.allows(reply.truth, reply.answer)) ++out.violations;
      if (reply.gave_in) {
        ++gave_in;
        if (out.first_gave_in < 0) out.first_gave_in = step;
      }
      ++out.queries;
      gradient(row, col) = student.bound(row, col) * reply.answer.convert_to<double>();
    }
    student.step(gradient, options);
  }
  student.run();
  record(options.steps);
  return out;
}

}  // namespace hardhead::study
