#include "attention/layer/layer.h"

#include <cmath>

#include "base/error.h"

namespace hardhead::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

Layer two_heads() {
  Layer layer{3, {}};
  for (int i = 1; i <= 2; ++i)
    layer.heads.push_back({Matrix::Constant(3, 3, i), Matrix::Constant(3, 3, 10.0 * i)});
  return layer;
}

TEST(Layer, WSumAddsTheProjectionsOfAllHeads) {
  EXPECT_EQ(two_heads().w_sum(), Matrix::Constant(3, 3, 30.0));
}

TEST(Layer, AProperLayerIsValid) {
  EXPECT_NO_THROW(two_heads().validate());
}

TEST(Layer, ValidationNamesHeadMatrixEntryAndValue) {
  const auto rejected = [](const auto& damage, const std::vector<std::string>& parts) {
    Layer layer = two_heads();
    damage(layer);
    for (const std::string& part : parts)
      EXPECT_THAT([&] { layer.validate(); }, ThrowsMessage<InputError>(HasSubstr(part)));
  };
  rejected([](Layer& l) { l.d = 0; }, {"d = 0"});
  rejected([](Layer& l) { l.heads.clear(); }, {"m = 0"});
  rejected([](Layer& l) { l.heads[1].w.resize(3, 2); }, {"head 1", "w is 3 x 2", "d = 3"});
  rejected([](Layer& l) { l.heads[0].theta.resize(2, 3); }, {"head 0", "theta is 2 x 3"});
  rejected([](Layer& l) { l.heads[1].theta(2, 1) = std::nan(""); },
           {"head 1", "theta[2,1] is nan", "finite"});
  rejected([](Layer& l) { l.heads[0].w(0, 2) = -HUGE_VAL; }, {"head 0", "w[0,2] is -inf", "finite"});
}

}  // namespace
}  // namespace hardhead::attention
