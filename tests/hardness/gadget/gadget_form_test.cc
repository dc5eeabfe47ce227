#include "hardness/gadget/switch_gadget.h"

#include <gtest/gtest.h>

#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

TEST(GadgetForm, IsThatOfEveryHardFamilyAndOfNoOther) {
  for (const char* spec :
       {"parity:d=8,m=3", "parity:d=8,m=3,variant=minimal", "parity:d=5,m=1,variant=minimal",
        "parity:d=8,m=3,variant=compact", "parity:d=8,m=6,variant=compact-exact", "lwr:n=2,q=8",
        "lwr:n=2,q=8,heads=padded", "staircase:n=3", "lwe:n=2", "lpn:n=5", "junta:d=6"})
    EXPECT_TRUE(has_gadget_form(make(spec).layer)) << spec;
  for (const char* spec : {"nice:d=6", "diagonal:d=6", "transformer:d=8,m=2", "path:d=8,m=4,t=0.5"})
    EXPECT_FALSE(has_gadget_form(make(spec).layer)) << spec;
}

TEST(GadgetForm, IsKeptByOtherHeadsFirstAndByAnotherScale) {
  attention::Layer layer = make("parity:d=8,m=3").layer;
  std::swap(layer.heads.front(), layer.heads.back());
  for (attention::Head& head : layer.heads) head.w *= -3;
  EXPECT_TRUE(has_gadget_form(layer));
  layer.heads.front().theta(0, 1) = 1e-9;
  EXPECT_FALSE(has_gadget_form(layer));
}

}  // namespace
}  // namespace hardhead::hardness
