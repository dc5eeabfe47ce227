#include "hardness/smoothed/perturbed_layer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "hardness/families/family.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;

Instance make_smoothed(const std::string& spec) {
  return make_instance(Spec::parse(spec));
}

Block examples_of_instance(const Instance& instance, Index count) {
  Block block(instance.layer.d, 2, count);
  attention::SimulatedSource(instance.teacher, instance.layer.d, 2, instance.inputs,
                             Stream(Domain::samples, 5, "smoothed test"))
      .read(0, block);
  return block;
}

TEST(Smoothed, HasTheLabelsOfAForwardPassUpToItsRounding) {
  for (const char* spec :
       {"smoothed:d=8,m=3,sigma=0.5", "smoothed:d=8,m=3,where=theta,sigma=0.5",
        "smoothed:d=8,m=3,sigma=0,temperature=1.5", "smoothed:d=8,m=3,where=theta,sigma=1e-3,temperature=0.7",
        "smoothed:d=8,m=3,variant=minimal,sigma=1e-6"}) {
    const Instance instance = make_smoothed(spec);
    const Block block = examples_of_instance(instance, 64);
    Block forward = block;
    attention::LayerTeacher(instance.layer).label(forward);
    double size = 0;
    for (const attention::Head& head : instance.layer.heads) size += head.w.cwiseAbs().sum();
    EXPECT_LT((block.y - forward.y).cwiseAbs().maxCoeff(), 1e-13 * size) << spec;
  }
}

// Without noise every label is a function of h, the switch and a sign: exact values have as many levels as
// that allows, where a forward pass in double writes one as several doubles.
TEST(Smoothed, WritesEqualValuesAsOneDouble) {
  const Instance warm = make_smoothed("smoothed:d=10,m=4,sigma=0,temperature=2");
  const Block block = examples_of_instance(warm, 4000);
  std::set<double> sizes;
  for (Index c = 0; c < block.y.cols(); ++c) sizes.insert(std::abs(block.y(0, c)));
  EXPECT_LE(sizes.size(), 6u) << "0, and one for each h = 0 .. 4";
  EXPECT_GT(sizes.size(), 2u);
  EXPECT_EQ(block.y.bottomRows(9).cwiseAbs().maxCoeff(), 0);
}

TEST(Smoothed, WithoutNoiseIsTheParityLayer) {
  const Instance smoothed = make_smoothed("smoothed:d=12,m=4,sigma=0,seed=3"),
                 parity = make_smoothed("parity:d=12,m=4,seed=3");
  EXPECT_EQ(examples_of_instance(smoothed, 200).y, examples_of_instance(parity, 200).y);
  EXPECT_EQ(smoothed.hidden, parity.hidden);
  EXPECT_EQ(smoothed.null.exact_error, parity.null.exact_error);
  const Instance near = make_smoothed("smoothed:d=12,m=4,where=theta,sigma=1e-12,seed=3");
  const double off =
      (examples_of_instance(near, 200).y - examples_of_instance(parity, 200).y).cwiseAbs().maxCoeff();
  EXPECT_GT(off, 0);
  EXPECT_LT(off, 1e-8);
}

TEST(Smoothed, RefusesByName) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal_of([] { make_smoothed("smoothed:sigma=-1"); }), HasSubstr("sigma"));
  EXPECT_THAT(refusal_of([] { make_smoothed("smoothed:temperature=0"); }), HasSubstr("temperature"));
  EXPECT_THAT(refusal_of([] { make_smoothed("smoothed:d=4,m=9"); }), HasSubstr("m=9 is more than d-1=3"));
}

}  // namespace
}  // namespace hardhead::hardness
