#include "study/problem/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/files/data_file.h"
#include "attention/files/layer_file.h"
#include "hardness/families/family.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

struct InspectionTest : testing::Test {
  ScratchFolder folder;
  hardness::Instance instance = hardness::make_instance(Spec::parse("nice:d=6,k=2,m=2,theta_norm=3"));
  std::string path = folder.path("file.safetensors");

  Inspection of_layer(const attention::Metadata& metadata) {
    attention::write_layer(path, instance.layer, metadata);
    return inspect_file(path);
  }
};

TEST_F(InspectionTest, NormsAndRanksOfALayer) {
  instance.layer.heads[0].w.setIdentity();
  const Inspection found = of_layer({});
  ASSERT_TRUE(found.layer);
  EXPECT_NEAR(found.layer->heads[1].theta_norm, 3, 1e-14);
  EXPECT_NEAR(found.layer->heads[0].w_stable_rank, 6, 1e-12);
  EXPECT_FALSE(found.digest_right);
}

TEST_F(InspectionTest, ASpecIsMadeAgainAndCompared) {
  EXPECT_TRUE(*of_layer({{"spec", instance.spec.str()}, {"digest", instance.digest}}).digest_right);
  EXPECT_FALSE(*of_layer({{"spec", instance.spec.str()}, {"digest", std::string(64, '0')}}).digest_right);
  EXPECT_FALSE(*of_layer({{"spec", "nice:d=6,k=2,seed=8"}, {"digest", instance.digest}}).digest_right);
  const Inspection unknown = of_layer({{"spec", "from_the_future"}, {"digest", instance.digest}});
  EXPECT_FALSE(*unknown.digest_right);
  EXPECT_THAT(unknown.digest_note, testing::HasSubstr("from_the_future"));
}

TEST_F(InspectionTest, AnInstanceOfAnotherShapeIsNotMade) {
  for (const std::string spec :
       {"nice:d=1024,k=2,m=64", "nice:d=7,k=2", "nice:d=6,k=2,m=3", "lwr:n=31,q=4"}) {
    const Inspection found = of_layer({{"spec", spec}, {"digest", instance.digest}});
    EXPECT_FALSE(*found.digest_right);
    EXPECT_THAT(found.digest_note, testing::HasSubstr("another shape")) << spec;
  }
}

TEST_F(InspectionTest, WithoutASpecTheDigestIsTheContents) {
  const std::string content = attention::content_digest(instance.layer);
  EXPECT_TRUE(*of_layer({{"digest", content}}).digest_right);
  instance.layer.heads[0].w(0, 0) += 1;
  EXPECT_FALSE(*of_layer({{"digest", content}}).digest_right);
}

TEST_F(InspectionTest, ADataSet) {
  const attention::SimulatedSource source(instance.teacher, 6, 2, instance.inputs,
                                          Stream(Domain::samples, 1));
  attention::write_data(path, source, 100, {{"digest", attention::content_digest(source, 100, {})}}, {});
  const Inspection found = inspect_file(path);
  ASSERT_TRUE(found.data);
  EXPECT_EQ(found.data->examples, 100);
  EXPECT_GT(found.data->label_rms, 0);
  EXPECT_TRUE(*found.digest_right);
}

}  // namespace
}  // namespace hardhead::study
