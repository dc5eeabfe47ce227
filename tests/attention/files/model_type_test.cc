#include "attention/files/model_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "attention/files/architecture.h"

namespace hardhead::attention {
namespace {

TEST(ModelType, IsReadByARowOfTheTableOrSaysWhatDiffers) {
  std::set<std::string> rows, names;
  for (const Architecture& row : architectures()) rows.insert(row.name);
  for (const ModelType& type : model_types()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name << " comes twice";
    EXPECT_TRUE(!type.differs.empty() || !type.architectures.empty()) << type.name;
    for (const std::string& name : type.architectures)
      EXPECT_TRUE(rows.contains(name)) << type.name << ": " << name;
    EXPECT_EQ(find_model_type(type.name), &type);
    for (const Architecture& row : architectures()) {
      const bool is_read_by = std::ranges::find(type.architectures, row.name) != type.architectures.end();
      EXPECT_TRUE(row.rotary_share > 0 || !is_read_by || !(type.rotary_share || type.rotary_pairs))
          << type.name;
    }
  }
  EXPECT_EQ(find_model_type("nobody_knows"), nullptr);
}

TEST(ModelType, OfTimmAreTheVisionTransformersWithTheNormBeforeAttention) {
  for (const char* name : {"vit_small_patch16_224", "deit3_base_patch16_224", "eva_giant_patch14_224"}) {
    EXPECT_TRUE(is_known_timm(name)) << name;
    EXPECT_EQ(reason_against_timm(name), "") << name;
  }
  for (const char* name :
       {"vit_relpos_small_patch16_rpn_224", "vit_relpos_base_patch16_224", "vit_base_patch16_rope_224"})
    EXPECT_NE(reason_against_timm(name), "") << name;
  for (const char* name : {"swin_tiny_patch4_window7_224", "xcit_tiny_12_p16_224", "eva02_base_patch14_224"})
    EXPECT_FALSE(is_known_timm(name)) << name;
}

}  // namespace
}  // namespace hardhead::attention
