#include "attention/samples/sample_source.h"

#include <set>

#include "attention/forward/single_block.h"
#include "attention/samples/label_noise.h"
#include "base/error.h"

namespace hardhead::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::shared_ptr<const Teacher> teacher(Index d, Index m) {
  Layer layer{d, {}};
  const Stream stream(Domain::instance, 31);
  for (Index i = 0; i < m; ++i) {
    Head head{Matrix(d, d), Matrix(d, d)};
    stream.normals(static_cast<std::uint64_t>(2 * i), {head.theta.data(), static_cast<std::size_t>(d * d)});
    stream.normals(static_cast<std::uint64_t>(2 * i + 1), {head.w.data(), static_cast<std::size_t>(d * d)});
    layer.heads.push_back(std::move(head));
  }
  return std::make_shared<LayerTeacher>(layer);
}

TEST(SampleSource, WhatIsPickedHasTheBitsOfWhatIsRead) {
  const auto simulated =
      std::make_shared<SimulatedSource>(teacher(9, 2), 9, 3, Inputs::boolean, Stream(Domain::samples, 1));
  const SourceRange range(*simulated, 100, 5000);
  const NoisySource noisy(simulated, std::make_shared<GaussianNoise>(0.1), Stream(Domain::samples, 2));
  const std::vector<std::int64_t> wanted{4999, 0, 17, 17, 2000, 1, 3};
  for (const SampleSource* source : std::initializer_list<const SampleSource*>{&*simulated, &range, &noisy}) {
    Block picked(9, 3, static_cast<Index>(wanted.size())), one(9, 3, 1);
    source->pick(wanted, picked);
    for (Index n = 0; n < picked.count; ++n) {
      source->read(wanted[static_cast<std::size_t>(n)], one);
      for (Index a = 0; a < 3; ++a) {
        EXPECT_EQ(picked.x.col(picked.column(a, n)), one.x.col(a));
        EXPECT_EQ(picked.y.col(picked.column(a, n)), one.y.col(a));
      }
    }
  }
  Block outside(9, 3, 1);
  EXPECT_THROW(range.pick(std::vector<std::int64_t>{5000}, outside), InputError);
}

TEST(SampleSource, InSinglePrecisionExamplesAreTheSameWithinTheError) {
  const SimulatedSource simulated(teacher(9, 2), 9, 3, Inputs::boolean, Stream(Domain::samples, 1));
  const SourceRange range(simulated, 100, 5000);
  Block block(9, 3, 50);
  range.read(900, block);
  SingleBlock single, taken;
  single.resize(9, 3, 50);
  ASSERT_TRUE(range.read_single(900, single));
  ASSERT_TRUE(taken.take(block));
  EXPECT_EQ(single.signs, taken.signs);
  for (Index r = 0; r < 3; ++r)
    for (Index n = 0; n < 50; ++n) {
      double distance2 = 0;
      for (Index f = 0; f < 9; ++f)
        distance2 += std::pow(single.label(f, r)[n] - block.y(f, block.column(r, n)), 2);
      EXPECT_LE(std::sqrt(distance2), single.error);
    }
  EXPECT_THROW(range.read_single(4951, single), InputError);
  EXPECT_FALSE(SimulatedSource(teacher(9, 2), 9, 3, Inputs::gaussian, Stream(Domain::samples, 1))
                   .read_single(0, single));
}

TEST(SampleSource, PickedInSinglePrecisionExamplesAreThoseThatAreRead) {
  const SimulatedSource simulated(teacher(17, 2), 17, 3, Inputs::boolean, Stream(Domain::samples, 1));
  const SourceRange range(simulated, 100, 5000);
  const std::vector<std::int64_t> wanted{7, 4999, 0, 7, 400};
  SingleBlock picked, one;
  picked.resize(17, 3, 5, 8);  // of the labels eight features
  ASSERT_TRUE(range.read_single(wanted, picked));
  EXPECT_EQ(picked.rows(), 8);
  for (Index n = 0; n < 5; ++n) {
    one.resize(17, 3, 1);
    ASSERT_TRUE(range.read_single(wanted[static_cast<std::size_t>(n)], one));
    for (Index a = 0; a < 3; ++a) {
      for (Index g = 0; g < one.groups(); ++g) EXPECT_EQ(picked.group(g, a)[n], one.group(g, a)[0]);
      for (Index f = 0; f < 8; ++f) EXPECT_EQ(picked.label(f, a)[n], one.label(f, a)[0]);
    }
  }
  EXPECT_THROW(range.read_single(std::vector<std::int64_t>{1, 5000, 2, 3, 4}, picked), InputError);
}

TEST(EnumerationSource, VisitsEachInputOnce) {
  const Index d = 3, k = 2;
  const EnumerationSource source(teacher(d, 1), d, k);
  EXPECT_EQ(source.size(), 64);
  std::set<std::vector<double>> seen;
  Block block(d, k, 16);
  for (std::int64_t first = 0; first < 64; first += 16) {
    source.read(first, block);
    for (Index n = 0; n < 16; ++n) {
      std::vector<double> x;
      for (Index a = 0; a < k; ++a)
        for (Index f = 0; f < d; ++f) {
          x.push_back(block.x(f, block.column(a, n)));
          EXPECT_EQ(x.back(), ((first + n) >> (a * d + f)) & 1 ? -1.0 : 1.0);
        }
      seen.insert(x);
    }
  }
  EXPECT_EQ(seen.size(), 64U);
}

TEST(EnumerationSource, RefusesMoreThanTwoToThe24Inputs) {
  EXPECT_NO_THROW(EnumerationSource(teacher(12, 1), 12, 2));
  EXPECT_THAT([] { EnumerationSource(teacher(5, 1), 5, 5); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("k*d <= 24"), HasSubstr("25"))));
}

TEST(SimulatedSource, AnExampleHasTheSameBitsInWhateverBlock) {
  const struct {
    Index d, k, m;
  } cases[] = {{1, 2, 1}, {1, 1, 4}, {2, 1, 1}, {5, 2, 3}, {16, 3, 4}, {33, 2, 20}};
  for (const auto& [d, k, m] : cases)
    for (const Inputs inputs : {Inputs::gaussian, Inputs::boolean}) {
      const SimulatedSource source(teacher(d, m), d, k, inputs, Stream(Domain::samples, 1));
      Block whole(d, k, block_size);
      source.read(0, whole);
      for (const Index count : {1, 2, 3, 5, 8, 23, 24, 33, 63, 100})
        for (const Index first : {0, 1, 31}) {
          Block part(d, k, count);
          source.read(first, part);
          for (Index n = 0; n < std::min(count, block_size - first); ++n)
            for (Index a = 0; a < k; ++a) {
              ASSERT_EQ(part.x.col(part.column(a, n)), whole.x.col(whole.column(a, first + n)));
              ASSERT_EQ(part.y.col(part.column(a, n)), whole.y.col(whole.column(a, first + n)))
                  << "d=" << d << " k=" << k << " m=" << m << " count=" << count << " example " << first + n;
            }
        }
    }
}

TEST(SourceRange, RenumbersAndRefusesWhatIsNotThere) {
  const Index d = 2, k = 2;
  const EnumerationSource source(teacher(d, 1), d, k);
  const SourceRange range(source, 5, 8);
  EXPECT_EQ(range.size(), 8);
  Block expected(d, k, 3), block(d, k, 3);
  source.read(7, expected);
  range.read(2, block);
  EXPECT_EQ(block.x, expected.x);
  EXPECT_EQ(block.y, expected.y);
  EXPECT_NO_THROW(range.read(5, block));
  for (const std::int64_t outside : {std::int64_t{-1}, std::int64_t{6}, INT64_MAX})
    EXPECT_THROW(range.read(outside, block), InputError);
  EXPECT_NO_THROW(SourceRange(source, 16, 0));
  EXPECT_THAT([&] { SourceRange(source, 10, 7); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("7 examples from 10 on"), HasSubstr("has 16"))));
  EXPECT_THROW(SourceRange(source, -1, 2), InputError);
  EXPECT_THROW(SourceRange(source, 0, -1), InputError);
  EXPECT_THROW(SourceRange(source, INT64_MAX, 2), InputError);
}

TEST(NoisySource, AddsTheSameGaussianNumbersToAnExamplesLabelsInWhateverBlock) {
  const Index d = 5, k = 2, count = 4000;
  const auto exact =
      std::make_shared<SimulatedSource>(teacher(d, 1), d, k, Inputs::sphere, Stream(Domain::samples, 1));
  const NoisySource noisy(exact, std::make_shared<GaussianNoise>(0.5), Stream(Domain::samples, 2));
  Block clean(d, k, count), whole(d, k, count), one(d, k, 1);
  exact->read(7, clean);
  noisy.read(7, whole);
  EXPECT_EQ(whole.x, clean.x);
  const RowMatrix noise = whole.y - clean.y;
  EXPECT_NEAR(noise.squaredNorm() / static_cast<double>(noise.size()), 0.25, 0.01);
  EXPECT_NEAR(noise.mean(), 0, 0.01);
  EXPECT_NEAR((noise.array().pow(4)).mean(), 3 * 0.0625, 0.02);
  std::vector<double> numbers(static_cast<std::size_t>(k * d));
  Stream(Domain::samples, 2).normals(7 + 123, numbers);
  EXPECT_NEAR(noise(3, whole.column(1, 123)), 0.5 * numbers[5 + 3], 1e-15);
  noisy.read(7 + 123, one);
  for (Index a = 0; a < k; ++a) EXPECT_EQ(one.y.col(a), whole.y.col(whole.column(a, 123)));
  EXPECT_EQ(noisy.size(), SampleSource::unlimited);
}

}  // namespace
}  // namespace hardhead::attention
