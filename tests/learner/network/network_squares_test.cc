#include "learner/network/network_squares.h"

#include <gtest/gtest.h>

#include "learner/gradient/student_loss.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"
#include "tests/learner/residuals.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Layer;
using attention::Matrix;
using attention::Vector;
using testing::NiceSource;
using testing::residuals;

const char* const specs[] = {"block:d=4,k=3,m=2,width=5,seed=3",
                             "block:d=4,k=3,m=2,width=9,residual=0,seed=3",
                             "block:d=6,k=2,m=1,width=3,seed=3"};  // fewer units than features

// A layer that is not the teacher.
Layer other_layer(const std::string& spec) {
  return hardness::make_instance(Spec::parse(spec.substr(0, spec.rfind('=')) + "=99")).layer;
}

TEST(NetworkSquares, RowsAndNetworkAreInverse) {
  for (const char* spec : specs) {
    const Layer layer = other_layer(spec);
    const Layer back = unstack_all(shape_of(layer), stack_all(layer));
    EXPECT_EQ(back.heads.back().theta, layer.heads.back().theta);
    EXPECT_EQ(back.network->in, layer.network->in);
    EXPECT_EQ(back.network->in_bias, layer.network->in_bias);
    EXPECT_EQ(back.network->out, layer.network->out);
    EXPECT_EQ(back.network->out_bias, layer.network->out_bias);
    EXPECT_EQ(back.network->residual, layer.network->residual);
  }
}

TEST(NetworkSquares, AgreesWithACentralDifferenceJacobian) {
  for (const char* spec : specs) {
    const NiceSource source(spec);
    const auto blocks = read_blocks(source.source, 0, 100, RunContext{});
    const Layer layer = other_layer(spec);
    const attention::NetworkShape shape = shape_of(layer);
    const Stacked at = stack_all(layer);
    const auto linear = layers_with_network(blocks, shape, {}).linearised(at);
    const Vector r = residuals(blocks, layer);
    double total = 0;
    for (const auto& block : blocks) total += block.y.squaredNorm();
    Matrix jacobian(r.size(), at.size());
    constexpr double h = 1e-6;
    for (Index e = 0; e < at.size(); ++e) {
      Stacked up = at, down = at;
      up.data()[e] += h;
      down.data()[e] -= h;
      jacobian.col(e) =
          (residuals(blocks, unstack_all(shape, up)) - residuals(blocks, unstack_all(shape, down))) / (2 * h);
    }
    EXPECT_NEAR(linear->relative_error(), r.squaredNorm() / total, 1e-13);
    const Vector gradient = jacobian.transpose() * r / total;
    EXPECT_LT((linear->gradient().reshaped() - gradient).norm(), 1e-6 * gradient.norm()) << spec;
    const Stacked v = stack_all(source.instance.layer);
    const Vector product = jacobian.transpose() * (jacobian * v.reshaped()) / total;
    EXPECT_LT((linear->normal_product(v).reshaped() - product).norm(), 1e-6 * product.norm()) << spec;
    const auto scales = linear->preconditioner();
    EXPECT_LT((scales->solve(scales->apply(v)) - v).norm(), 1e-9 * v.norm());
  }
}

// Where all units are active, all of it but what is a number for each Theta_i is exact, block by block.
TEST(NetworkSquares, PreconditionsByTheBlocksOfJTJ) {
  for (const char* spec : specs) {
    const NiceSource source(spec);
    const auto blocks = read_blocks(source.source, 0, 500, RunContext{});
    Layer layer = other_layer(spec);
    constexpr double always_active = 100;
    layer.network->in_bias.setConstant(always_active);
    const attention::NetworkShape shape = shape_of(layer);
    const Index d = layer.d, heads = 2 * layer.m() * d;
    const auto linear = layers_with_network(blocks, shape, {}).linearised(stack_all(layer));
    const auto metric = linear->preconditioner();
    const auto expect_exact = [&](const Stacked& v) {
      const Stacked of_block = v.unaryExpr([](double x) { return x == 0 ? 0.0 : 1.0; });
      const Stacked product = linear->normal_product(v).cwiseProduct(of_block),
                    stand_in = metric->apply(v).cwiseProduct(of_block);
      EXPECT_LT((stand_in - product).norm(), 1e-6 * product.norm()) << spec;
    };
    const Stacked all = stack_all(source.instance.layer);
    Stacked w = Stacked::Zero(all.rows(), d), out = w, in = w;
    w.middleRows(layer.m() * d, layer.m() * d) = all.middleRows(layer.m() * d, layer.m() * d);
    expect_exact(w);
    out.middleRows(heads + shape.first_out(), shape.units + 1) =
        all.middleRows(heads + shape.first_out(), shape.units + 1);
    expect_exact(out);
    in.middleRows(heads, shape.units) = all.middleRows(heads, shape.units);
    in.bottomRows(all.rows() - heads - shape.first_in_bias()) =
        all.bottomRows(all.rows() - heads - shape.first_in_bias());
    expect_exact(in);
  }
}

// The gradient in single precision is half of what the student's loss has, entry for entry.
TEST(NetworkSquares, HasTheGradientOfAStudent) {
  for (const char* spec : specs) {
    const NiceSource source(spec);
    const auto blocks = read_blocks(source.source, 0, 37, RunContext{});  // not a whole number of lanes
    const Layer layer = other_layer(spec);
    const Index d = layer.d;
    const StudentShape shape{d, layer.m(), ThetaShape::full, 0, shape_of(layer)};
    Stacked rows = stack_all(layer);
    FloatMatrix parameters = rows.cast<float>();
    for (Index i = 0; i < layer.m(); ++i)
      parameters.middleRows(i * d, d) = layer.heads[static_cast<std::size_t>(i)].theta.cast<float>();
    EXPECT_LT((residuals(blocks, to_layer(shape, parameters)) - residuals(blocks, layer)).norm(), 1e-5);
    FloatBlock block;
    block.take(blocks.front());
    StudentLoss::Scratch scratch;
    const StudentLoss loss(shape, LossKind::squared, parameters);
    StudentGradient sum = loss.zero();
    loss.add(block, scratch, sum);
    loss.finish(sum);
    const auto linear = layers_with_network(blocks, shape.network, {}).linearised(rows);
    Stacked expected = 2 * blocks.front().y.squaredNorm() * linear->gradient();
    for (Index i = 0; i < layer.m(); ++i) expected.middleRows(i * d, d).transposeInPlace();
    EXPECT_LT((sum.gradient.cast<double>() - expected).norm(), 1e-4 * expected.norm()) << spec;
  }
}

TEST(SpareUnits, AreThoseThatOthersCanStandInFor) {
  const NiceSource source(specs[0]);
  const auto blocks = read_blocks(source.source, 0, 2000, RunContext{});
  const Layer truth = source.instance.layer;
  Layer more = truth;
  attention::Network& network = *more.network;
  const Index h = truth.network->width();
  network.in.conservativeResize(h + 2, Eigen::NoChange);
  network.in_bias.conservativeResize(h + 2);
  network.out.conservativeResize(Eigen::NoChange, h + 2);
  network.in.row(h) = 3 * network.in.row(0);  // the same unit again, and one that is never active
  network.in_bias(h) = 3 * network.in_bias(0);
  network.out.col(h) = Vector::Constant(4, 0.25);
  network.in.row(h + 1).setZero();
  network.in_bias(h + 1) = -1;
  network.out.col(h + 1).setOnes();
  const Layer fewer = without_spare_units(more, blocks, 1e-9, {});
  EXPECT_EQ(fewer.network->width(), h);
  const Vector difference = residuals(blocks, fewer) - residuals(blocks, more);
  EXPECT_LT(difference.norm(), 1e-4);
  EXPECT_EQ(without_spare_units(fewer, blocks, 1e-9, {}).network->width(), h) << "none can be spared";
}

}  // namespace
}  // namespace hardhead::learner
