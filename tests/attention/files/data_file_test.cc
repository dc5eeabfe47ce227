#include "attention/files/data_file.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cmath>
#include <cstring>

#include "attention/forward/single_block.h"
#include "base/error.h"
#include "base/run/parallel.h"
#include "tests/attention/raw_safetensors.h"
#include "tests/scratch_folder.h"
#include "tests/simd_targets.h"

namespace hardhead::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Shape = std::vector<std::int64_t>;

SimulatedSource simulated(Inputs inputs, Index d = 5, Index k = 3) {
  Layer layer{d, {}};
  const Stream stream(Domain::instance, 61);
  for (std::uint64_t i = 0; i < 2; ++i) {
    Head head{Matrix(d, d), Matrix(d, d)};
    stream.normals(2 * i, {head.theta.data(), static_cast<std::size_t>(d * d)});
    stream.normals(2 * i + 1, {head.w.data(), static_cast<std::size_t>(d * d)});
    layer.heads.push_back(std::move(head));
  }
  return {std::make_shared<LayerTeacher>(layer), d, k, inputs, Stream(Domain::samples, 62)};
}

/// A data file with x [N, k, d] and y of these types; every entry is `x_value`, `y_value`.
std::string write_constant(const ScratchFolder& folder, DType x_type, DType y_type, const Shape& x_shape,
                           const Shape& y_shape, double x_value, double y_value,
                           const Metadata& metadata = {}) {
  const auto count = [](const Shape& shape) {
    std::size_t product = 1;
    for (const std::int64_t extent : shape) product *= static_cast<std::size_t>(extent);
    return product;
  };
  SafetensorsWriter writer(folder.path("a"), {{"x", x_type, x_shape}, {"y", y_type, y_shape}}, metadata);
  writer.write(0, 0, std::vector<double>(count(x_shape), x_value));
  writer.write(1, 0, std::vector<double>(count(y_shape), y_value));
  writer.commit();
  return folder.path("a");
}

void expect_same_examples(const SampleSource& a, const SampleSource& b, std::int64_t first, Index count) {
  Block left(a.d(), a.k(), count), right(a.d(), a.k(), count);
  a.read(first, left);
  b.read(first, right);
  EXPECT_EQ(left.x, right.x);
  EXPECT_EQ(left.y, right.y);
}

TEST(DataFile, HoldsTheSourcesExamplesBitForBit) {
  const ScratchFolder folder;
  for (const Inputs inputs : {Inputs::boolean, Inputs::gaussian, Inputs::sphere}) {
    const auto source = simulated(inputs);
    for (const std::int64_t count : {1, 63, 64, 65, 1024, 2500}) {
      write_data(folder.path("a"), source, count, {{"spec", "nice"}}, RunContext());
      const FileSource file(folder.path("a"));
      EXPECT_EQ(file.d(), 5);
      EXPECT_EQ(file.k(), 3);
      EXPECT_EQ(file.size(), count);
      EXPECT_EQ(file.inputs(), inputs);
      EXPECT_EQ(file.metadata(), (Metadata{{"inputs", name_of(inputs)}, {"spec", "nice"}}));
      expect_same_examples(file, source, 0, count);
      if (count > 70) expect_same_examples(file, source, count - 70, 70);
      EXPECT_EQ(content_digest(file, count, {}), content_digest(source, count, {}));
    }
  }
}

TEST(DataFile, PicksTheExamplesThatItReads) {
  const ScratchFolder folder;
  for (const Inputs inputs : {Inputs::boolean, Inputs::gaussian}) {
    write_data(folder.path("a"), simulated(inputs), 200, {}, RunContext());
    const FileSource file(folder.path("a"));
    Block all(5, 3, 200);
    file.read(0, all);
    for (const Index count : {1, 8, 19}) {
      std::vector<std::int64_t> examples;
      for (Index n = 0; n < count; ++n) examples.push_back((60 + 77 * n) % 200);
      Block picked(5, 3, count);
      file.pick(examples, picked);
      for (Index n = 0; n < count; ++n)
        for (Index a = 0; a < 3; ++a) {
          const Index at = all.column(a, examples[static_cast<std::size_t>(n)]);
          EXPECT_EQ(picked.x.col(picked.column(a, n)), all.x.col(at));
          EXPECT_EQ(picked.y.col(picked.column(a, n)), all.y.col(at));
        }
    }
    Block two(5, 3, 2);
    EXPECT_THROW(file.pick(std::vector<std::int64_t>{5, 200}, two), InputError);
  }
}

TEST(DataFile, SignsAreReadInSinglePrecisionAsTheyAreInDouble) {
  const ScratchFolder folder;
  const auto expect_same = [](const FileSource& file, std::int64_t first, Index count) {
    Block block(file.d(), file.k(), count);
    file.read(first, block);
    SingleBlock expected;
    ASSERT_TRUE(expected.take(block));
    on_each_simd_target([&](SimdTarget) {
      SingleBlock single;
      single.resize(file.d(), file.k(), count);
      ASSERT_TRUE(file.read_single(first, single));
      for (Index g = 0; g < single.groups(); ++g)
        for (Index a = 0; a < file.k(); ++a)
          for (Index n = 0; n < count; ++n) EXPECT_EQ(single.group(g, a)[n], expected.group(g, a)[n]);
      EXPECT_NEAR(single.error, expected.error, 1e-5 * expected.error);  // norms in single precision
      for (Index r = 0; r < file.k(); ++r)
        for (Index n = 0; n < count; ++n) {
          for (Index f = 0; f < file.d(); ++f)
            EXPECT_EQ(single.label(f, r)[n], static_cast<float>(block.y(f, block.column(r, n))));
          for (Index f = file.d(); f < single.rows(); ++f) EXPECT_EQ(single.label(f, r)[n], 0);
        }
    });
  };
  for (const auto& [d, k] : {std::pair<Index, Index>{5, 3}, {16, 2}, {9, 2}, {14, 4}, {20, 2}}) {
    write_data(folder.path("a"), simulated(Inputs::boolean, d, k), 200, {}, RunContext());
    const FileSource file(folder.path("a"));
    expect_same(file, 7, block_size);
    expect_same(file, 199, 1);
    SingleBlock picked, read, second;
    picked.resize(d, k, 3, std::min<Index>(d, 8));
    read.resize(d, k, block_size), second.resize(d, k, block_size);
    ASSERT_TRUE(file.read_single(block_size, second));
    ASSERT_TRUE(file.read_single(std::vector<std::int64_t>{60, 7, 95}, picked));
    ASSERT_TRUE(file.read_single(0, read));
    EXPECT_EQ(read.next_tokens.size(), static_cast<std::size_t>(block_size * k * d));
    EXPECT_EQ(read.next_labels.size(), static_cast<std::size_t>(block_size * k * d * 8));
    double next = 0;
    std::memcpy(&next, read.next_labels.data(), sizeof next);
    EXPECT_EQ(static_cast<float>(next), second.label(0, 0)[0]);
    EXPECT_EQ(second.next_labels.size(), static_cast<std::size_t>((200 - 2 * block_size) * k * d * 8));
    EXPECT_TRUE(picked.next_labels.empty());
    for (Index a = 0; a < k; ++a) {
      EXPECT_EQ(picked.group(0, a)[1], read.group(0, a)[7]);
      for (Index f = 0; f < picked.labelled(); ++f) EXPECT_EQ(picked.label(f, a)[2], read.label(f, a)[95]);
    }
    EXPECT_THROW(file.read_single(std::vector<std::int64_t>{60, 200, 95}, picked), InputError);
    SingleBlock block;
    block.resize(d, k, 2);
    EXPECT_THROW(file.read_single(199, block), InputError);
  }
  // Signs of every type: x of one file, written as numbers of another type.
  for (const DType type : {DType::f32, DType::f64}) {
    write_data(folder.path("a"), simulated(Inputs::boolean, 9, 2), 40, {}, RunContext());
    Block block(9, 2, 40);
    FileSource(folder.path("a")).read(0, block);
    std::vector<double> x, y;
    for (Index n = 0; n < 40; ++n)
      for (Index a = 0; a < 2; ++a)
        for (Index f = 0; f < 9; ++f) {
          x.push_back(block.x(f, block.column(a, n)));
          y.push_back(block.y(f, block.column(a, n)));
        }
    SafetensorsWriter writer(folder.path("b"), {{"x", type, {40, 2, 9}}, {"y", DType::f32, {40, 2, 9}}}, {});
    writer.write(0, 0, x);
    writer.write(1, 0, y);
    writer.commit();
    const FileSource file(folder.path("b"));
    Block read(9, 2, 40);
    file.read(0, read);
    EXPECT_EQ(read.x, block.x);
    expect_same(file, 0, 40);
  }
  for (const DType type : {DType::i8, DType::f32, DType::f64})
    expect_same(FileSource(write_constant(folder, type, DType::f32, {9, 2, 7}, {9, 2, 7}, -1, 0.3)), 1, 8);
  write_data(folder.path("a"), simulated(Inputs::gaussian), 10, {}, RunContext());
  SingleBlock block;
  block.resize(5, 3, 10);
  EXPECT_FALSE(FileSource(folder.path("a")).read_single(0, block));
}

TEST(DataFile, BooleanTokensTakeOneByteEach) {
  const ScratchFolder folder;
  write_data(folder.path("a"), simulated(Inputs::boolean), 100, {}, RunContext());
  const SafetensorsFile file(folder.path("a"));
  EXPECT_EQ(file.tensor("x").dtype, DType::i8);
  EXPECT_EQ(file.tensor("y").dtype, DType::f64);
  EXPECT_EQ(file.tensor("x").shape, (Shape{100, 3, 5}));
}

TEST(DataFile, IndicesAreExampleTokenFeature) {
  const ScratchFolder folder;
  const auto source = simulated(Inputs::gaussian);
  write_data(folder.path("a"), source, 10, {}, RunContext());
  const SafetensorsFile file(folder.path("a"));
  Block block(5, 3, 10);
  source.read(0, block);
  EXPECT_EQ(SafetensorsFile::element(file.tensor("x"), (7 * 3 + 2) * 5 + 4), block.x(4, block.column(2, 7)));
  EXPECT_EQ(SafetensorsFile::element(file.tensor("y"), (9 * 3 + 1) * 5 + 3), block.y(3, block.column(1, 9)));
}

TEST(DataFile, TheFileDoesNotDependOnTheNumberOfThreads) {
  const ScratchFolder folder;
  const auto source = simulated(Inputs::gaussian);
  for (const int threads : {1, 2})
    tbb::task_arena(threads).execute(
        [&] { write_data(folder.path(fmt::format("{}", threads)), source, 3000, {}, RunContext()); });
  EXPECT_TRUE(folder.read("1") == folder.read("2"));
}

TEST(DataFile, SinglePrecisionAndUnalignedTensorsAreRead) {
  const ScratchFolder folder;
  const std::string x = "\x01\xff\xff";
  std::string y(12, '\0');
  const float labels[] = {0.5F, -1.25F, 3.0F};
  std::memcpy(y.data(), labels, 12);
  for (const char* padding : {"", " ", "  "}) {
    const FileSource file(folder.write(
        "a", raw_safetensors(std::string(R"({"x":{"dtype":"I8","shape":[3,1,1],"data_offsets":[0,3]},)"
                                         R"("y":{"dtype":"F32","shape":[3,1,1],"data_offsets":[3,15]}})") +
                                 padding,
                             x + y)));
    Block block(1, 1, 3);
    file.read(0, block);
    EXPECT_EQ(block.x, (RowMatrix(1, 3) << 1, -1, -1).finished());
    EXPECT_EQ(block.y, (RowMatrix(1, 3) << 0.5, -1.25, 3).finished());
  }
}

/// A data file of one feature and one token, of which x has type X, and y type Y.
template <class X, class Y>
std::string write_halves(const ScratchFolder& folder, const std::vector<X>& x, const std::vector<Y>& y) {
  const auto name_of = []<class T>(T) { return std::is_same_v<T, Eigen::half> ? "F16" : "BF16"; };
  const std::size_t n = x.size(), bytes = 2 * n;
  std::string data(2 * bytes, '\0');
  std::memcpy(data.data(), x.data(), bytes);
  std::memcpy(data.data() + bytes, y.data(), bytes);
  return folder.write(
      "a", raw_safetensors(fmt::format(R"({{"x":{{"dtype":"{}","shape":[{},1,1],"data_offsets":[0,{}]}},)"
                                       R"("y":{{"dtype":"{}","shape":[{},1,1],"data_offsets":[{},{}]}}}})",
                                       name_of(X{}), n, bytes, name_of(Y{}), n, bytes, 2 * bytes),
                           data));
}

TEST(DataFile, HalfPrecisionIsReadExactly) {
  const ScratchFolder folder;
  using Eigen::bfloat16, Eigen::half;
  // The largest and the smallest half, a third; the largest and the smallest bfloat16.
  const std::vector<half> x = {half(65504.0F), half(std::ldexp(1.0F, -24)), half(1.0F / 3)};
  const std::vector<bfloat16> y = {bfloat16(std::ldexp(255.0F, 120)), bfloat16(std::ldexp(1.0F, -133)),
                                   bfloat16(-2.5F)};
  const FileSource file(write_halves(folder, x, y));
  EXPECT_EQ(file.inputs(), Inputs::gaussian);
  Block block(1, 1, 3);
  file.read(0, block);
  EXPECT_EQ(block.x, (RowMatrix(1, 3) << 65504, std::ldexp(1.0, -24), 1365.0 / 4096).finished());
  EXPECT_EQ(block.y, (RowMatrix(1, 3) << std::ldexp(255.0, 120), std::ldexp(1.0, -133), -2.5).finished());

  const std::vector<bfloat16> signs = {bfloat16(1.0F), bfloat16(-1.0F)};
  const FileSource boolean(write_halves(folder, signs, std::vector<half>{half(0.5F), half(0.25F)}));
  EXPECT_EQ(boolean.inputs(), Inputs::boolean);
  SingleBlock single;
  single.resize(1, 1, 2);
  EXPECT_FALSE(boolean.read_single(0, single)) << "wider types only";
  EXPECT_THAT(
      [&] { FileSource source(write_halves(folder, signs, std::vector<half>{half(1.0F), half(HUGE_VALF)})); },
      ThrowsMessage<InputError>(HasSubstr("y[1,0,0] is inf, but must be finite")));
  EXPECT_THAT(
      [&] {
        FileSource source(
            write_halves(folder, std::vector<bfloat16>{bfloat16(NAN), signs[0]}, std::vector<half>(2)));
      },
      ThrowsMessage<InputError>(HasSubstr("x[0,0,0] is nan, but must be finite")));
}

TEST(DataFile, InputsWithoutMetadataAreBooleanIfEveryEntryIsASign) {
  const ScratchFolder folder;
  const Shape shape{4, 2, 3};
  for (const DType type : {DType::i8, DType::f32, DType::f64}) {
    EXPECT_EQ(FileSource(write_constant(folder, type, DType::f64, shape, shape, -1, 0)).inputs(),
              Inputs::boolean);
    EXPECT_EQ(FileSource(write_constant(folder, type, DType::f64, shape, shape, 2, 0)).inputs(),
              Inputs::gaussian);
  }
  EXPECT_EQ(
      FileSource(write_constant(folder, DType::i8, DType::f64, shape, shape, 1, 0, {{"inputs", "sphere"}}))
          .inputs(),
      Inputs::sphere);
}

TEST(DataFile, FilesThatHoldNoDataSetAreRefusedByFileTensorIndexAndValue) {
  const ScratchFolder folder;
  const Shape shape{4, 2, 3};
  const auto refused = [&](const auto& make, const std::vector<std::string>& facts) {
    const std::string path = make();
    for (const std::string& fact : facts)
      EXPECT_THAT([&] { FileSource source(path); },
                  ThrowsMessage<InputError>(AllOf(HasSubstr("'" + path + "'"), HasSubstr(fact))));
  };
  const auto constant = [&](DType x_type, DType y_type, const Shape& x_shape, const Shape& y_shape, double x,
                            double y, const Metadata& metadata = {}) {
    return [=, &folder] { return write_constant(folder, x_type, y_type, x_shape, y_shape, x, y, metadata); };
  };
  constexpr auto f32 = DType::f32, f64 = DType::f64, i8 = DType::i8;
  refused([&] { return folder.write("a", raw_safetensors(tensor_x("I8", "[1,1,1]", "[0,1]"), "\x01")); },
          {"no tensor \"y\""});
  refused(constant(i8, f64, {0, 2, 3}, {0, 2, 3}, 1, 1), {"\"x\"", "[0, 2, 3]", "at least 1"});
  refused(constant(i8, f64, {4, 0, 3}, {4, 0, 3}, 1, 1), {"\"x\"", "[4, 0, 3]"});
  refused(constant(i8, f64, {4, 6}, {4, 6}, 1, 1), {"\"x\"", "[4, 6]", "[N, k, d]"});
  refused(constant(i8, f64, shape, {4, 3, 2}, 1, 1), {"\"y\"", "[4, 3, 2]", "[4, 2, 3]"});
  refused(constant(i8, i8, shape, shape, 1, 1), {"\"y\"", "I8", "F64, F32, BF16 or F16"});
  refused(constant(i8, f64, shape, shape, 1, NAN), {"y[0,0,0] is nan", "finite"});
  refused(constant(i8, f32, shape, shape, 1, -HUGE_VAL), {"y[0,0,0] is -inf", "finite"});
  refused(constant(f64, f64, shape, shape, HUGE_VAL, 1), {"x[0,0,0] is inf", "finite"});
  refused(constant(f32, f64, shape, shape, NAN, 1, {{"inputs", "gaussian"}}), {"x[0,0,0] is nan", "finite"});
  refused(constant(i8, f64, shape, shape, 0, 1, {{"inputs", "boolean"}}), {"x[0,0,0] is 0", "-1 or +1"});
  refused(constant(f64, f64, shape, shape, NAN, 1, {{"inputs", "boolean"}}), {"x[0,0,0] is nan", "-1 or +1"});
  refused(constant(i8, f64, shape, shape, 1, 1, {{"inputs", "uniform"}}), {"metadata", "\"uniform\""});
}

TEST(DataFile, OneBadEntryAmongManyIsFoundWhereverItIs) {
  const ScratchFolder folder;
  const Shape shape{1000, 3, 7};
  std::vector<double> x(21000, 1), y(21000, 0.5);
  for (const std::int64_t at : {0, 4095, 4096, 20998, 20999}) {
    const auto index = static_cast<std::size_t>(at);
    const std::string where = fmt::format("[{},{},{}]", at / 21, at / 7 % 3, at % 7);
    const auto opening = [&] {
      SafetensorsWriter writer(folder.path("a"), {{"x", DType::i8, shape}, {"y", DType::f64, shape}},
                               {{"inputs", "boolean"}});
      writer.write(0, 0, x);
      writer.write(1, 0, y);
      writer.commit();
      FileSource source(folder.path("a"));
    };
    EXPECT_NO_THROW(opening());
    x[index] = -2;
    EXPECT_THAT(opening, ThrowsMessage<InputError>(HasSubstr("x" + where + " is -2")));
    x[index] = 1, y[index] = NAN;
    EXPECT_THAT(opening, ThrowsMessage<InputError>(HasSubstr("y" + where + " is nan")));
    y[index] = 0.5;
  }
}

TEST(DataFile, ExamplesThatAreNotThereAreRefused) {
  const ScratchFolder folder;
  const auto source = simulated(Inputs::boolean);
  write_data(folder.path("a"), source, 100, {}, RunContext());
  const FileSource file(folder.path("a"));
  Block block(5, 3, 64);
  for (const std::int64_t first : {std::int64_t{-1}, std::int64_t{37}, INT64_MAX, INT64_MIN})
    EXPECT_THROW(file.read(first, block), InputError) << first;
  EXPECT_NO_THROW(file.read(36, block));
  EXPECT_THAT([&] { write_data(folder.path("b"), file, 101, {}, RunContext()); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("101"), HasSubstr("100"))));
  EXPECT_THROW(write_data(folder.path("b"), source, 0, {}, RunContext()), InputError);
  EXPECT_THROW(content_digest(file, 101, {}), InputError);
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(DataFile, ReadingFromManyThreadsGivesTheSame) {
  const ScratchFolder folder;
  const auto source = simulated(Inputs::boolean);
  write_data(folder.path("a"), source, 6400, {}, RunContext());
  const FileSource file(folder.path("a"));
  std::atomic<int> wrong{0};
  parallel_for_each_index(400, [&](std::int64_t i) {
    Block expected(5, 3, 64), block(5, 3, 64);
    source.read(i % 100 * 64, expected);
    file.read(i % 100 * 64, block);
    if (block.x != expected.x || block.y != expected.y) ++wrong;
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(DataFile, AStoppedWriteLeavesNothingAndProgressReachesOne) {
  const ScratchFolder folder;
  const auto source = simulated(Inputs::boolean);
  std::atomic<bool> flag{false};
  RunContext context;
  context.stop = StopToken(&flag);
  double last = 0;
  context.progress.on_progress = [&](std::string_view, double done) {
    EXPECT_GT(done, last);
    last = done;
  };
  write_data(folder.path("a"), source, 5000, {}, context);
  EXPECT_EQ(last, 1.0);
  last = 0;
  context.progress.on_progress = [&](std::string_view, double) { flag = true; };
  EXPECT_THROW(write_data(folder.path("b"), source, 5000, {}, context), Stopped);
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(DataFile, TheDigestChangesWithAnyExampleAndWithTheCount) {
  const ScratchFolder folder;
  const auto source = simulated(Inputs::boolean);
  const std::string digest = content_digest(source, 100, {});
  EXPECT_NE(content_digest(source, 99, {}), digest);
  EXPECT_NE(content_digest(SourceRange(source, 1, 100), 100, {}), digest);
  EXPECT_EQ(content_digest(SourceRange(source, 0, 200), 100, {}), digest);
}

class TorchData : public testing::Test {
 protected:
  static constexpr const char* data = HARDHEAD_TEST_DIR "/data/torch_mha_e16_h2_k3.safetensors";
  static constexpr const char* layer = HARDHEAD_TEST_DIR "/data/torch_mha_e16_h2_k3.layer.safetensors";
};

TEST_F(TorchData, OpensWithItsShapeAndBooleanInputs) {
  const Stopwatch watch;
  const FileSource file(data);
  fmt::print("opening and checking {} examples took {:.1f} ms\n", file.size(), 1e3 * watch.seconds());
  EXPECT_EQ(file.d(), 16);
  EXPECT_EQ(file.k(), 3);
  EXPECT_EQ(file.size(), 4000);
  EXPECT_EQ(file.inputs(), Inputs::boolean);
}

TEST_F(TorchData, LabelsAreThoseOfTheTorchLayer) {
  const FileSource file(data);
  const LayerTeacher teacher(read_layer(layer));
  Block block(16, 3, file.size());
  file.read(0, block);
  const RowMatrix labels = block.y;
  teacher.label(block);
  const double error = (block.y - labels).norm() / labels.norm();
  fmt::print("torch labels: relative difference {:.2g}\n", error);
  EXPECT_LE(error, 1e-13);
}

}  // namespace
}  // namespace hardhead::attention
