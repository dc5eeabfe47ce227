#include "attention/files/layer_file.h"

#include <cmath>

#include "base/error.h"
#include "base/numeric/random.h"
#include "tests/scratch_folder.h"

namespace hardhead::attention {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Shape = std::vector<std::int64_t>;

Layer random_layer(Index d, Index m) {
  const Stream stream(Domain::instance, 51);
  Layer layer{d, {}};
  for (Index i = 0; i < m; ++i) {
    Head head{Matrix(d, d), Matrix(d, d)};
    stream.normals(static_cast<std::uint64_t>(2 * i), {head.theta.data(), static_cast<std::size_t>(d * d)});
    stream.normals(static_cast<std::uint64_t>(2 * i + 1), {head.w.data(), static_cast<std::size_t>(d * d)});
    layer.heads.push_back(std::move(head));
  }
  return layer;
}

void write_tensors(const std::string& path, const std::vector<SafetensorsWriter::Entry>& entries,
                   double value) {
  SafetensorsWriter writer(path, entries, {});
  for (std::size_t t = 0; t < entries.size(); ++t) {
    std::size_t count = 1;
    for (const std::int64_t extent : entries[t].shape) count *= static_cast<std::size_t>(extent);
    writer.write(t, 0, std::vector<double>(count, value));
  }
  writer.commit();
}

TEST(LayerFile, ALayerComesBackBitForBit) {
  const ScratchFolder folder;
  for (const auto& [d, m] : {std::pair<Index, Index>{1, 1}, {3, 2}, {16, 5}}) {
    const Layer layer = random_layer(d, m);
    write_layer(folder.path("a"), layer, {{"spec", "nice:d=3"}});
    const SafetensorsFile file(folder.path("a"));
    EXPECT_EQ(file.metadata().at("spec"), "nice:d=3");
    EXPECT_EQ(file.tensor("theta").shape, (Shape{m, d, d}));
    const Layer read = read_layer(file);
    ASSERT_EQ(read.d, d);
    ASSERT_EQ(read.m(), m);
    for (std::size_t i = 0; i < layer.heads.size(); ++i) {
      EXPECT_EQ(read.heads[i].theta, layer.heads[i].theta);
      EXPECT_EQ(read.heads[i].w, layer.heads[i].w);
    }
    EXPECT_EQ(content_digest(read), content_digest(layer));
  }
}

TEST(LayerFile, ElementIABIsEntryABOfHeadI) {
  const ScratchFolder folder;
  const Layer layer = random_layer(3, 2);
  write_layer(folder.path("a"), layer, {});
  const SafetensorsFile file(folder.path("a"));
  EXPECT_EQ(SafetensorsFile::element(file.tensor("theta"), 9 + 3 * 2 + 1), layer.heads[1].theta(2, 1));
  EXPECT_EQ(SafetensorsFile::element(file.tensor("w"), 3 * 1 + 2), layer.heads[0].w(1, 2));
}

TEST(LayerFile, SinglePrecisionIsRead) {
  const ScratchFolder folder;
  write_tensors(folder.path("a"), {{"w", DType::f32, {2, 3, 3}}, {"theta", DType::f64, {2, 3, 3}}}, 0.1);
  const Layer layer = read_layer(folder.path("a"));
  EXPECT_EQ(layer.heads[1].w(2, 2), static_cast<double>(0.1F));
  EXPECT_EQ(layer.heads[1].theta(2, 2), 0.1);
}

TEST(LayerFile, TheTorchLayerOpens) {
  const SafetensorsFile file(HARDHEAD_TEST_DIR "/data/torch_mha_e16_h2_k3.layer.safetensors");
  EXPECT_THAT(file.metadata().at("producer"), HasSubstr("torch.nn.MultiheadAttention"));
  const Layer layer = read_layer(file);
  EXPECT_EQ(layer.d, 16);
  EXPECT_EQ(layer.m(), 2);
}

TEST(LayerFile, DigestsTellContentsApart) {
  const Layer layer = random_layer(3, 2);
  Layer other = layer;
  other.heads[1].w(2, 0) = std::nextafter(other.heads[1].w(2, 0), 10);
  EXPECT_NE(content_digest(other), content_digest(layer));
  Layer swapped = layer;
  std::swap(swapped.heads[0].theta, swapped.heads[0].w);
  EXPECT_NE(content_digest(swapped), content_digest(layer));
  EXPECT_NE(content_digest(random_layer(4, 1)), content_digest(random_layer(2, 4)));
}

TEST(LayerFile, FilesThatHoldNoLayerAreRefusedByFileAndTensor) {
  const ScratchFolder folder;
  const struct {
    std::vector<SafetensorsWriter::Entry> entries;
    double value;
    std::vector<std::string> facts;
  } cases[] = {
      {{{"w", DType::f64, {1, 2, 2}}}, 1, {"\"theta\"", "has: \"w\""}},
      {{{"theta", DType::f64, {1, 2, 2}}}, 1, {"\"w\"", "has: \"theta\""}},
      {{{"theta", DType::f64, {2, 2}}, {"w", DType::f64, {1, 2, 2}}},
       1,
       {"\"theta\"", "[2, 2]", "[m, d, d]"}},
      {{{"theta", DType::f64, {1, 2, 3}}, {"w", DType::f64, {1, 2, 3}}}, 1, {"\"theta\"", "[1, 2, 3]"}},
      {{{"theta", DType::f64, {0, 2, 2}}, {"w", DType::f64, {0, 2, 2}}}, 1, {"\"theta\"", "[0, 2, 2]"}},
      {{{"theta", DType::f64, {1, 0, 0}}, {"w", DType::f64, {1, 0, 0}}}, 1, {"\"theta\"", "[1, 0, 0]"}},
      {{{"theta", DType::f64, {2, 2, 2}}, {"w", DType::f64, {1, 2, 2}}},
       1,
       {"\"w\"", "[1, 2, 2]", "[2, 2, 2]"}},
      {{{"theta", DType::f64, {1, 2, 2}}, {"w", DType::i8, {1, 2, 2}}},
       1,
       {"\"w\"", "I8", "F64, F32, BF16 or F16"}},
      {{{"theta", DType::f64, {1, 2, 2}}, {"w", DType::f64, {1, 2, 2}}},
       NAN,
       {"theta[0,0] is nan", "finite"}},
      {{{"theta", DType::f32, {1, 2, 2}}, {"w", DType::f64, {1, 2, 2}}}, HUGE_VAL, {"theta[0,0] is inf"}},
  };
  const std::string quoted_path = fmt::format("'{}'", folder.path("a"));
  for (const auto& c : cases) {
    write_tensors(folder.path("a"), c.entries, c.value);
    for (const std::string& fact : c.facts)
      EXPECT_THAT([&] { read_layer(folder.path("a")); },
                  ThrowsMessage<InputError>(AllOf(HasSubstr(quoted_path), HasSubstr(fact))));
  }
}

TEST(LayerFile, ALayerThatIsNotValidIsNotWritten) {
  const ScratchFolder folder;
  Layer layer = random_layer(2, 1);
  layer.heads[0].w(1, 1) = NAN;
  EXPECT_THROW(write_layer(folder.path("a"), layer, {}), InputError);
  EXPECT_EQ(folder.file_count(), 0);
}

}  // namespace
}  // namespace hardhead::attention
