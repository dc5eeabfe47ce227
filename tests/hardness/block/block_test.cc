#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attention/files/layer_file.h"
#include "attention/layer/canonical.h"
#include "attention/layer/network.h"
#include "attention/samples/jacobian_rank.h"
#include "base/error.h"
#include "base/numeric/decompositions.h"
#include "hardness/niceness/niceness.h"
#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;
using attention::Layer;
using attention::Matrix;
using attention::Network;
using attention::Vector;

Block random_tokens(Index d, Index k, Index count) {
  Block out(d, k, count);
  draw_tokens(attention::Inputs::gaussian, Stream(Domain::test, 5, "block test"), 0, out);
  return out;
}

attention::RowMatrix labels(const Layer& layer, Block block) {
  attention::LayerTeacher(layer).label(block);
  return block.y;
}

/// N(u) of one column, from its definition.
Vector value(const Network& network, const Vector& u) {
  Vector out = network.out_bias + (network.residual ? u : Vector(0 * u));
  for (Index j = 0; j < network.width(); ++j) {
    const double z = network.in.row(j).dot(u) + network.in_bias(j);
    if (z > 0) out += z * network.out.col(j);
  }
  return out;
}

TEST(Block, LabelsAreTheNetworkOfTheHeads) {
  for (const int residual : {0, 1}) {
    const Instance instance = make(fmt::format("block:d=6,k=3,m=2,width=13,residual={}", residual));
    const Network& network = *instance.layer.network;
    Block block = random_tokens(6, 3, 5);
    instance.teacher->label(block);
    Layer heads = instance.layer;
    heads.network.reset();
    const attention::RowMatrix f = labels(heads, block);
    for (Index c = 0; c < f.cols(); ++c) {
      const Vector u = f.col(c) + (residual == 1 ? Vector(block.x.col(c)) : Vector::Zero(6));
      EXPECT_LE((value(network, u) - block.y.col(c)).norm(), 1e-13);
    }
  }
}

TEST(Block, NetworksOfSlopeBelowOneAreInjective) {
  for (const char* parameters :
       {"residual=1,width=8", "residual=1,width=40", "residual=0,width=16", "residual=0,width=33"}) {
    const Network network = *make(fmt::format("block:d=8,{}", parameters)).layer.network;
    const Stream stream(Domain::test, 1, "pairs");
    for (std::uint64_t n = 0; n < 2000; ++n) {
      Vector u(8), step(8);
      stream.normals(2 * n, {u.data(), 8});
      stream.normals(2 * n + 1, {step.data(), 8});
      step *= std::pow(10, -static_cast<double>(n % 4));
      const double ratio = (value(network, u + step) - value(network, u)).norm() / step.norm();
      EXPECT_GE(ratio, 0.1 - 1e-9);
    }
  }
}

TEST(Block, CanonicalFormIsTheSameFunctionAndTheSameForEqualLayers) {
  for (const int residual : {0, 1}) {
    const Layer layer = make(fmt::format("block:d=5,k=2,m=2,width=12,residual={}", residual)).layer;
    const Layer form = canonical_form(layer, 2).layer;
    const Block block = random_tokens(5, 2, 4);
    EXPECT_LE((labels(layer, block) - labels(form, block)).cwiseAbs().maxCoeff(), 1e-12);
    Layer other = layer;
    other.network->in.row(3) *= 2;
    other.network->in_bias(3) *= 2;
    other.network->out.col(3) /= 2;
    other.network->in.row(0).swap(other.network->in.row(7));
    std::swap(other.network->in_bias(0), other.network->in_bias(7));
    other.network->out.col(0).swap(other.network->out.col(7));
    if (residual == 0) {
      EXPECT_LE((form.w_sum() - Matrix::Identity(5, 5)).norm(), 1e-12);
      const Matrix g = Matrix::Identity(5, 5) + 0.3 * layer.heads[0].theta;
      for (attention::Head& head : other.heads) head.w = (head.w * g).eval();
      other.network->in = (other.network->in * inverse(g).transpose()).eval();
    }
    EXPECT_LE((labels(layer, block) - labels(other, block)).cwiseAbs().maxCoeff(), 1e-12);
    const Layer same = canonical_form(other, 2).layer;
    EXPECT_LE((form.heads[1].w - same.heads[1].w).norm(), 1e-11);
    EXPECT_LE((form.network->in - same.network->in).norm(), 1e-11);
    EXPECT_LE((form.network->out - same.network->out).norm(), 1e-11);
  }
}

TEST(Block, FilesAndDigestsHaveTheNetwork) {
  const Instance instance = make("block:d=4,width=9,residual=0");
  const std::string path = ::testing::TempDir() + "/block.safetensors";
  attention::write_layer(path, instance.layer, {});
  const Layer read = attention::read_layer(path);
  EXPECT_EQ(attention::content_digest(read), attention::content_digest(instance.layer));
  EXPECT_TRUE(read.network->out == instance.layer.network->out);
  EXPECT_FALSE(read.network->residual);
  Layer without = instance.layer, with_residual = instance.layer;
  without.network.reset();
  with_residual.network->residual = true;
  EXPECT_NE(attention::content_digest(without), attention::content_digest(instance.layer));
  EXPECT_NE(attention::content_digest(with_residual), attention::content_digest(instance.layer));
  EXPECT_NE(make("block:d=4,width=9,residual=0,slope=0.5").digest, instance.digest);
}

TEST(Block, WhatSpeaksOfHeadsAloneRefusesIt) {
  const Layer layer = make("block:d=4,width=3").layer;
  EXPECT_THROW(attention::jacobian_ranks(layer, 2, 1), InputError);
  Layer broken = layer;
  broken.network->in_bias.resize(2);
  EXPECT_THROW(broken.validate(), InputError);
}

}  // namespace
}  // namespace hardhead::hardness
