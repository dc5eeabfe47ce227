#include "experiments/sq_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/run/parallel.h"
#include "hardness/families/family.h"
#include "learner/objective/loss.h"
#include "sq/oracle/answerer.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;
using attention::Matrix;
using attention::RowMatrix;

/// All inputs, in blocks of one token-0 each: example z of block c has x_1 = c and x_2 = c xor z, so that it
/// has z_j = x_1j x_2j. Labels are `first` or `second`, by member and z.
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
  Index first_different = 0;  ///< the least z for which `first` and `second` may differ
  bool coin = true;           ///< null labels are `first` or `second` by a fair coin, else always `second`
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
  out.first_different = on;
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
  if (hardness::find_family(instance.spec.name).hides == hardness::Hidden::parity_set) {
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

Backward backward(const attention::Forward& forward, const Inputs& inputs) {
  const Block& block = inputs.block;
  const Index d = block.d();
  attention::Forward::Workspace at;
  Backward out;
  Block predicted = block;
  forward.apply(predicted, at);
  forward.attend(block, at);
  forward.attend_values(block, at);
  out.z = at.z;
  RowMatrix logits;
  for (int label = 0; label < 2; ++label) {
    out.u[label] = predicted.y - (label == 0 ? block.y : inputs.second);
    out.h[label].resize(forward.m() * d, block.x.cols());
    for (Index i = 0; i < forward.m(); ++i)
      learner::attention_adjoint(block, at, i, out.u[label], logits, out.h[label].middleRows(i * d, d));
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

/// One quantity of a block, example by example, of its first and of its second token.
struct TokenPair {
  const double *first, *second;
};

/// sums[z] += round(scale (a_1 b_1 + a_2 b_2)). Adding 1.5 2^52 leaves the nearest integer in the low bits
/// (sq/query/query.h).
void add_products(const TokenPair& a, const TokenPair& b, Index count, double scale, std::int64_t* sums) {
  constexpr double magic = 0x1.8p52;
  for (Index z = 0; z < count; ++z)
    sums[z] +=
        std::bit_cast<std::int64_t>((a.first[z] * b.first[z] + a.second[z] * b.second[z]) * scale + magic) -
        std::bit_cast<std::int64_t>(magic);
}

/// Sums over all inputs of one z and label, of the grid values of one coordinate.
struct GridSums {
  std::vector<std::int64_t> by_z[2];
  explicit GridSums(Index count)
      : by_z{std::vector<std::int64_t>(static_cast<std::size_t>(count)), by_z[0]} {}
};

class Student {
 public:
  Student(const Class& members, Matrix start)
      : class_(members), parameters_(std::move(start)), velocity_(Matrix::Zero(rows(), cols())) {}

  /// Forward and backward passes over all inputs at the present parameters.
  void run() {
    const attention::Forward forward(learner::unstack(parameters_));
    passes_.resize(class_.inputs.size());
    parallel_for_each_index(static_cast<std::int64_t>(passes_.size()), [&](std::int64_t c) {
      passes_[static_cast<std::size_t>(c)] = backward(forward, class_.inputs[static_cast<std::size_t>(c)]);
    });
    h_bound_ = row_bounds(passes_, &Backward::h);
    u_bound_ = row_bounds(passes_, &Backward::u);
  }

  Index rows() const { return parameters_.rows(); }
  Index cols() const { return parameters_.cols(); }
  /// B_p of the coordinates of one row of the stacked parameters.
  double bound(Index row) const {
    return scale_above(row < rows() / 2 ? h_bound_(row) : u_bound_((row - rows() / 2) % cols()));
  }

  /// Exact means of the queries of one row of coordinates, under all members. By rows, so that a row of H or
  /// of the attended tokens comes from memory once.
  std::vector<sq::ClassMeans> row_means(Index row) const {
    const Index count = class_.inputs.front().block.count, half = rows() / 2;
    std::vector<GridSums> sums(static_cast<std::size_t>(cols()), GridSums(count));
    for (std::size_t c = 0; c < passes_.size(); ++c)
      for (Index col = 0; col < cols(); ++col)
        for (int label = 0; label < 2; ++label) {
          // Below first_different both labels are one: where the switch is off.
          const Index from = label == 0 ? 0 : class_.first_different, many = count - from;
          std::int64_t* const to = sums[static_cast<std::size_t>(col)].by_z[label].data() + from;
          const double scale = std::exp2(sq::grid_bits) / bound(row);
          const Backward& pass = passes_[c];
          if (row < half) {
            // x_1 is one sign in all the block, and x_2 that sign times z.
            const Block& block = class_.inputs[c].block;
            const double* const h = pass.h[label].row(row).data() + from;
            const double* const x = class_.inputs.front().block.x.row(col).data() + from;
            add_products({h, h + count}, {x, x + count}, many, block.x(col, 0) * scale, to);
          } else {
            const Index head = (row - half) / cols(), to_feature = (row - half) % cols();
            const double* const z = pass.z.row(head * cols() + col).data() + from;
            const double* const u = pass.u[label].row(to_feature).data() + from;
            add_products({z, z + count}, {u, u + count}, many, scale, to);
          }
        }
    std::vector<sq::ClassMeans> out;
    for (GridSums& each : sums) {
      std::copy_n(each.by_z[0].begin(), class_.first_different, each.by_z[1].begin());
      out.push_back(means_of(each));
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
  sq::ClassMeans means_of(const GridSums& sums) const {
    const std::size_t count = sums.by_z[0].size();
    sq::ClassMeans out{.members = {},
                       .exponent = std::countr_zero(count * count) + 1 + sq::grid_bits,
                       .charge = sq::rounding_charge()};
    for (std::size_t z = 0; z < count; ++z)
      out.null += class_.coin ? sums.by_z[0][z] + sums.by_z[1][z] : 2 * sums.by_z[1][z];
    for (const std::vector<bool>& first : class_.takes_first) {
      std::int64_t sum = 0;
      for (std::size_t z = 0; z < count; ++z) sum += sums.by_z[first[z] ? 0 : 1][z];
      out.members.push_back(2 * sum);
    }
    return out;
  }

  const Class& class_;
  Matrix parameters_, velocity_;
  std::vector<Backward> passes_;
  Eigen::VectorXd h_bound_, u_bound_;
};

/// Who answers: exact means of the target, or the adversary. Every answer is checked against the contract.
class Oracle {
 public:
  Oracle(const Class& members, const DescentOptions& options)
      : contract_(options.tau),
        adversarial_(options.adversarial),
        target_(members.target),
        adversary_(static_cast<std::int64_t>(members.takes_first.size())) {}

  double ask(const sq::ClassMeans& means) {
    sq::Reply reply;
    if (adversarial_) {
      reply = adversary_.choose(means, contract_);
    } else {
      reply.truth = means.mean(target_);
      reply.answer = reply.truth.value;
    }
    ++queries;
    if (!contract_.allows(reply.truth, reply.answer)) ++violations;
    if (reply.gave_in) ++gave_in;
    return reply.answer.convert_to<double>();
  }

  /// Members that all answers are legal for; the target, where it answers honestly.
  std::vector<std::int64_t> left() const { return adversarial_ ? adversary_.left() : std::vector{target_}; }

  std::int64_t queries = 0, violations = 0, gave_in = 0;

 private:
  sq::Stat contract_;
  bool adversarial_;
  std::int64_t target_;
  sq::AdversarialChoice adversary_;
};

/// The gradient from answers, one query a coordinate.
Matrix queried_gradient(const Student& student, Oracle& oracle) {
  std::vector<std::vector<sq::ClassMeans>> means(static_cast<std::size_t>(student.rows()));
  parallel_for_each_index(student.rows(), [&](std::int64_t row) {
    means[static_cast<std::size_t>(row)] = student.row_means(row);
  });
  Matrix gradient(student.rows(), student.cols());
  for (Index row = 0; row < student.rows(); ++row)
    for (Index col = 0; col < student.cols(); ++col)
      gradient(row, col) = student.bound(row) *
                           oracle.ask(means[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)]);
  return gradient;
}

/// Theta_i of norm about sqrt(d), W_i of norm about sqrt(d / heads).
Matrix start(Index d, const DescentOptions& options) {
  const Stream stream(Domain::learner, options.seed, "descent");
  std::vector<double> normals(static_cast<std::size_t>(2 * options.heads * d * d));
  stream.normals(0, normals);
  Matrix out =
      Eigen::Map<Matrix>(normals.data(), 2 * options.heads * d, d) / std::sqrt(static_cast<double>(d));
  out.bottomRows(options.heads * d) /= std::sqrt(static_cast<double>(options.heads));
  return out;
}

void validate(const DescentOptions& options) {
  if (options.heads < 1 || options.heads > 64)
    throw InputError(fmt::format("descent: heads={} is not in 1 .. 64", options.heads));
  if (options.steps < 1) throw InputError(fmt::format("descent: steps={} is less than 1", options.steps));
  if (!(options.rate > 0)) throw InputError(fmt::format("descent: rate={} is not positive", options.rate));
  if (!(options.momentum >= 0 && options.momentum < 1))
    throw InputError(fmt::format("descent: momentum={} is not in [0, 1)", options.momentum));
}

}  // namespace

Descent descend(const DescentOptions& options, const RunContext& context) {
  validate(options);
  const Class members = class_of(options.target);
  Oracle oracle(members, options);
  Student student(members, start(members.d, options));
  Descent out;
  out.null_error = members.null_loss / members.total;
  const auto record = [&](std::int64_t step) {
    student.run();
    const std::vector<std::int64_t> left = oracle.left();
    double loss = student.loss(left.front());
    for (const std::int64_t f : left) loss = std::min(loss, student.loss(f));
    out.points.push_back({step, loss / members.total, 1 - loss / members.null_loss,
                          static_cast<std::int64_t>(left.size()), oracle.gave_in});
  };
  record(0);
  for (std::int64_t step = 0; step < options.steps; ++step) {
    context.stop.check();
    context.progress.report("descent by queries",
                            static_cast<double>(step) / static_cast<double>(options.steps));
    student.step(queried_gradient(student, oracle), options);
    if (oracle.gave_in > 0 && out.first_gave_in < 0) out.first_gave_in = step;
    record(step + 1);
  }
  out.queries = oracle.queries;
  out.violations = oracle.violations;
  return out;
}

QueriedWSum query_w_sum(const DescentOptions& options) {
  const Class members = class_of(options.target);
  Oracle oracle(members, options);
  Student student(members, Matrix::Zero(2 * members.d, members.d));
  student.run();
  QueriedWSum out;
  out.estimate = Matrix(members.d, members.d);
  for (Index row = 0; row < members.d; ++row) {
    const std::vector<sq::ClassMeans> means = student.row_means(members.d + row);
    for (Index col = 0; col < members.d; ++col)
      out.estimate(col, row) =  // rows of the stack are those of W^T
          -student.bound(members.d + row) * oracle.ask(means[static_cast<std::size_t>(col)]);
  }
  out.queries = oracle.queries;
  out.violations = oracle.violations;
  out.members_left = static_cast<std::int64_t>(oracle.left().size());
  out.gave_in = oracle.gave_in;
  return out;
}

}  // namespace hardhead::experiments
