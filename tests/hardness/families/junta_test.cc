#include "hardness/families/junta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;
using testing::HasSubstr;

TEST(Junta, LabelsAreTheFunctionOfItsHiddenBitsOnEveryInput) {
  for (const char* spec :
       {"junta:d=5,m=3", "junta:d=5,m=4,function=parity", "junta:d=5,m=2,function=majority",
        "junta:d=5,m=3,function=and,seed=2", "junta:d=5,m=3,function=address",
        "junta:d=5,m=3,function=random", "junta:d=5,m=3,function=scaled-parity,seed=5"}) {
    const Instance instance = make(spec);
    const JuntaOptions options = junta_table().read(instance.spec);
    const std::vector<std::int64_t> values = junta_values(options.function, options.m);
    const attention::EnumerationSource all(instance.teacher, options.d, 2);
    Block block(options.d, 2, all.size());
    all.read(0, block);
    const Index j0 = options.d - 1;
    double errors = 0, squares = 0, mean = 0;
    for (const std::int64_t value : values)
      mean += static_cast<double>(value) / static_cast<double>(values.size());
    for (Index n = 0; n < block.count; ++n) {
      const bool on = block.token(0)(j0, n) != block.token(1)(j0, n);
      std::size_t z = 0;
      for (std::size_t j = 0; j < instance.hidden.size(); ++j)
        if (block.token(0)(instance.hidden[j], n) != block.token(1)(instance.hidden[j], n))
          z |= std::size_t{1} << j;
      for (Index r = 0; r < 2; ++r) {
        const double x = block.token(r)(j0, n), y = block.label(r)(0, n);
        ASSERT_EQ(y, on ? -2 * x * static_cast<double>(values[z]) : 0) << spec;
        const double null = on ? -2 * x * mean : 0;
        errors += (y - null) * (y - null);
        squares += y * y;
      }
    }
    EXPECT_NEAR(errors / squares, round_to_nearest(*instance.null.exact_error), 1e-12) << spec;
    EXPECT_EQ(std::ssize(instance.layer.heads), instance_shape(instance.spec).m);
  }
}

TEST(Junta, HasTwoHeadsMoreThanTheLargestH) {
  EXPECT_EQ(make("junta:d=20,m=4").layer.m(), 17);
  EXPECT_EQ(make("junta:d=20,m=6,function=majority").layer.m(), 8);
}

TEST(Junta, TheRandomFunctionIsTheSameForAllMembers) {
  EXPECT_NE(make("junta:m=4,function=random,seed=1").hidden, make("junta:m=4,function=random,seed=2").hidden);
  EXPECT_EQ(make("junta:m=4,function=random,seed=1").null.exact_error,
            make("junta:m=4,function=random,seed=2").null.exact_error);
}

TEST(Junta, RefusesByName) {
  EXPECT_THAT(refusal_of([] { make("junta:d=4,m=4"); }), HasSubstr("m=4 is more than d-1=3"));
  EXPECT_THAT(refusal_of([] { make("junta:m=4,function=address"); }), HasSubstr("m=4 is not a + 2^a"));
  EXPECT_THAT(refusal_of([] { make("junta:m=9"); }), HasSubstr("m"));
  EXPECT_THAT(refusal_of([] { make("junta:function=sorting"); }), HasSubstr("sorting"));
}

}  // namespace
}  // namespace hardhead::hardness
