#include "attention/samples/inputs.h"

#include <cmath>

#include "base/error.h"

namespace hardhead::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Inputs all[] = {Inputs::boolean,         Inputs::gaussian,         Inputs::sphere,
                          Inputs::boolean_and_one, Inputs::gaussian_and_one, Inputs::sphere_and_one};

Block draw(Inputs inputs, Index d, Index k, std::uint64_t first, Index count) {
  Block block(d, k, count);
  draw_tokens(inputs, Stream(Domain::samples, 21), first, block);
  return block;
}

TEST(Inputs, NamesRoundTripAndUnknownOnesAreNamedWithTheChoices) {
  for (const Inputs inputs : all) EXPECT_EQ(parse_inputs(name_of(inputs)), inputs);
  EXPECT_EQ(names_of<Inputs>().size(), std::size(all));
  EXPECT_THAT([] { parse_inputs("gausian"); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("'gausian'"), HasSubstr("did you mean 'gaussian'"),
                                              HasSubstr("boolean, gaussian, sphere"))));
}

TEST(Inputs, TheConstantFeatureIsTheLastAndTheOthersAreDrawnAsWithoutIt) {
  for (const auto& [with, without] : {std::pair(Inputs::boolean_and_one, Inputs::boolean),
                                      std::pair(Inputs::gaussian_and_one, Inputs::gaussian),
                                      std::pair(Inputs::sphere_and_one, Inputs::sphere)}) {
    const Block block = draw(with, 6, 3, 7, 50), shorter = draw(without, 5, 3, 7, 50);
    EXPECT_TRUE(has_constant_feature(with) && !has_constant_feature(without));
    EXPECT_EQ(are_signs(with), are_signs(without));
    EXPECT_TRUE((block.x.row(5).array() == 1).all());
    EXPECT_EQ(block.x.topRows(5), shorter.x);
  }
}

TEST(Inputs, SecondMomentsAreTheIdentityAndTokensAreUncorrelated) {
  constexpr Index d = 5, k = 2, count = 40000;
  for (const Inputs inputs : all) {
    const Block block = draw(inputs, d, k, 0, count);
    // One column an example, all its k*d entries below each other.
    Matrix entries(k * d, count);
    for (Index a = 0; a < k; ++a) entries.middleRows(a * d, d) = block.token(a);
    // A constant feature is the same in both tokens, which are uncorrelated but for it.
    if (has_constant_feature(inputs)) entries.row(k * d - 1).setZero();
    Matrix second = entries * entries.transpose() / static_cast<double>(count);
    if (has_constant_feature(inputs)) second(k * d - 1, k * d - 1) = 1;
    Vector mean = entries.rowwise().mean();
    if (has_constant_feature(inputs)) {
      EXPECT_EQ(mean(d - 1), 1);
      mean(d - 1) = 0;
    }
    const double bound = 5 * std::sqrt(2.0 / count);  // five standard deviations of a squared normal's mean
    EXPECT_LE((second - Matrix::Identity(k * d, k * d)).cwiseAbs().maxCoeff(), bound) << name_of(inputs);
    EXPECT_LE(mean.cwiseAbs().maxCoeff(), bound) << name_of(inputs);
  }
}

TEST(Inputs, BooleanEntriesAreSigns) {
  const Block block = draw(Inputs::boolean, 7, 3, 0, 1000);
  EXPECT_TRUE((block.x.array().abs() == 1.0).all());
}

TEST(Inputs, SphereTokensHaveSquaredNormD) {
  const Block block = draw(Inputs::sphere, 7, 3, 0, 1000);
  EXPECT_LE((block.x.colwise().squaredNorm().array() - 7).abs().maxCoeff(), 1e-14 * 7);
  EXPECT_GT((block.x.array().abs() - 1).abs().maxCoeff(), 0.5);
}

TEST(Inputs, AnExampleIsTheSameInWhateverBlock) {
  constexpr Index d = 3, k = 2;
  for (const Inputs inputs : all) {
    const Block whole = draw(inputs, d, k, 100, 50);
    for (const Index count : {1, 2, 7, 20})
      for (const Index first : {0, 13, 30}) {
        const Block part = draw(inputs, d, k, static_cast<std::uint64_t>(100 + first), count);
        for (Index n = 0; n < count; ++n)
          for (Index a = 0; a < k; ++a)
            EXPECT_EQ(part.x.col(part.column(a, n)), whole.x.col(whole.column(a, first + n)));
      }
  }
}

TEST(Inputs, NumbersAreTakenTokenByTokenFeatureByFeature) {
  const Stream stream(Domain::samples, 21);
  const Block block = draw(Inputs::gaussian, 3, 2, 4, 1);
  std::vector<double> numbers(6);
  stream.normals(4, numbers);
  for (Index a = 0; a < 2; ++a)
    for (Index f = 0; f < 3; ++f) EXPECT_EQ(block.x(f, a), numbers[static_cast<std::size_t>(a * 3 + f)]);
}

// Words of 64 bits and calls of 256 end within tokens, and there are more examples than are drawn at a time.
TEST(Inputs, SignsAreTakenInTheSameOrderForAnyExamples) {
  constexpr Index d = 50, k = 7, count = 2 * block_size + 5;
  const Stream stream(Domain::samples, 21);
  std::vector<std::int64_t> examples;
  for (Index n = 0; n < count; ++n) examples.push_back((n * n + 3) % 1000);
  Block picked(d, k, count);
  draw_tokens(Inputs::boolean, stream, examples, picked);
  std::vector<double> signs(d * k);
  for (Index n = 0; n < count; ++n) {
    stream.signs(static_cast<std::uint64_t>(examples[static_cast<std::size_t>(n)]), signs);
    for (Index a = 0; a < k; ++a)
      for (Index f = 0; f < d; ++f)
        ASSERT_EQ(picked.x(f, picked.column(a, n)), signs[static_cast<std::size_t>(a * d + f)]);
  }
}

}  // namespace
}  // namespace hardhead::attention
