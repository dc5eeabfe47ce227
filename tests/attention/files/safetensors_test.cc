#include "attention/files/safetensors.h"

#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "tests/attention/raw_safetensors.h"
#include "tests/scratch_folder.h"

namespace hardhead::attention {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

std::string zeros(std::size_t n) {
  return std::string(n, '\0');
}

TEST(Safetensors, WriterAndReaderAgree) {
  const ScratchFolder folder;
  const std::map<std::string, std::string> metadata{{"spec", "nice:d=2"}, {"quote", "\"\\\n\u00e9"}};
  {
    SafetensorsWriter writer(folder.path("a"),
                             {{"z", DType::f64, {2, 3}}, {"i", DType::i8, {3}}, {"f", DType::f32, {1, 1, 2}}},
                             metadata);
    writer.write(1, 1, std::vector<double>{-128, 127});
    writer.write(0, 3, std::vector<double>{4, 5, 6});
    writer.write(2, 0, std::vector<double>{0.1, -2});
    writer.write(0, 0, std::vector<double>{1, 0.1, -3});
    writer.write(1, 0, std::vector<double>{7});
    EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
    writer.commit();
  }
  const SafetensorsFile file(folder.path("a"));
  EXPECT_EQ(file.metadata(), metadata);
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_THAT(file.tensor("z").shape, ElementsAre(2, 3));
  EXPECT_EQ(file.tensor("i").dtype, DType::i8);
  const auto elements = [&](const char* name, int count) {
    std::vector<double> out;
    for (int n = 0; n < count; ++n) out.push_back(SafetensorsFile::element(file.tensor(name), n));
    return out;
  };
  EXPECT_THAT(elements("z", 6), ElementsAre(1, 0.1, -3, 4, 5, 6));
  EXPECT_THAT(elements("i", 3), ElementsAre(7, -128, 127));
  EXPECT_THAT(elements("f", 2), ElementsAre(static_cast<double>(0.1F), -2));
}

TEST(Safetensors, WrittenDataStartAtAMultipleOfEightBytes) {
  for (const char* name : {"a", "ab", "abc", "abcdefgh"}) {
    const ScratchFolder folder;
    SafetensorsWriter writer(folder.path("a"), {{name, DType::f64, {1}}}, {});
    writer.write(0, 0, std::vector<double>{1.5});
    writer.commit();
    const std::string bytes = folder.read("a");
    EXPECT_EQ(bytes.size() % 8, 0U);
    double value = 0;
    std::memcpy(&value, bytes.data() + bytes.size() - 8, 8);
    EXPECT_EQ(value, 1.5);
  }
}

TEST(Safetensors, AWriterThatDoesNotCommitLeavesNothing) {
  const ScratchFolder folder;
  {
    SafetensorsWriter writer(folder.path("a"), {{"x", DType::f64, {1}}}, {});
  }
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(Safetensors, AWriterRefusesSizesThatOverflowAndMetadataThatIsNotText) {
  const ScratchFolder folder;
  EXPECT_THAT([&] { SafetensorsWriter(folder.path("a"), {{"x", DType::f64, {std::int64_t{1} << 61}}}, {}); },
              ThrowsMessage<InputError>(AllOf(HasSubstr(folder.path("a")), HasSubstr("too large"))));
  EXPECT_THAT([&] { SafetensorsWriter(folder.path("a"), {}, {{"spec", "\xff"}}); },
              ThrowsMessage<InputError>(AllOf(HasSubstr(folder.path("a")), HasSubstr("UTF-8"))));
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(Safetensors, UnalignedTensorsAreRead) {
  const ScratchFolder folder;
  std::string data(1 + 8 + 4, '\0');
  const double d = -0.1;
  const float f = 3.25F;
  data[0] = '\x80';
  std::memcpy(data.data() + 1, &d, 8);
  std::memcpy(data.data() + 9, &f, 4);
  const std::string header =
      R"({"c":{"dtype":"F32","shape":[1],"data_offsets":[9,13]},"a":{"dtype":"I8","shape":[],)"
      R"("data_offsets":[0,1]},)"
      R"("b":{"dtype":"F64","shape":[1],"data_offsets":[1,9]}})";
  for (int pad = 0; pad < 8; ++pad) {
    const SafetensorsFile file(
        folder.write("a", raw_safetensors(header + std::string(static_cast<std::size_t>(pad), ' '), data)));
    EXPECT_EQ(SafetensorsFile::element(file.tensor("a"), 0), -128);
    EXPECT_EQ(SafetensorsFile::element(file.tensor("b"), 0), d);
    EXPECT_EQ(SafetensorsFile::element(file.tensor("c"), 0), 3.25);
  }
}

TEST(Safetensors, AFileWithoutTensorsOrWithEmptyOnesIsRead) {
  const ScratchFolder folder;
  EXPECT_TRUE(SafetensorsFile(folder.write("a", raw_safetensors("{}", ""))).tensors().empty());
  const std::string empty =
      R"({"b":{"dtype":"F64","shape":[0,5],"data_offsets":[1,1]},"a":{"dtype":"I8","shape":[1],)"
      R"("data_offsets":[0,1]},)"
      R"("c":{"dtype":"F32","shape":[3,0],"data_offsets":[0,0]}})";
  EXPECT_EQ(SafetensorsFile(folder.write("a", raw_safetensors(empty, "x"))).tensors().size(), 3U);
}

TEST(Safetensors, AMissingTensorIsNamedWithThoseThereAre) {
  const ScratchFolder folder;
  const SafetensorsFile file(folder.write("a", raw_safetensors(tensor_x("F64", "[1]", "[0,8]"), zeros(8))));
  EXPECT_TRUE(file.has("x"));
  EXPECT_THAT([&] { file.tensor("theta"); },
              ThrowsMessage<InputError>(AllOf(HasSubstr(folder.path("a")), HasSubstr("\"theta\""),
                                              HasSubstr("the file has: \"x\""))));
}

TEST(Safetensors, AMissingTensorOfManyIsNamedWithAFew) {
  const ScratchFolder folder;
  std::string header = "{";
  for (int i = 0; i < 1000; ++i)
    header +=
        fmt::format(R"({}"t{}":{{"dtype":"I8","shape":[0],"data_offsets":[0,0]}})", i == 0 ? "" : ",", i);
  const SafetensorsFile file(folder.write("a", raw_safetensors(header + "}", "")));
  EXPECT_THAT([&] { file.tensor("theta"); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("\"t0\", \"t1\""), HasSubstr("and 992 more"))));
}

/// What 16 bits mean: sign, exponent, fraction.
double meaning(unsigned bits, int fraction_bits, int bias) {
  const int exponents = 1 << (15 - fraction_bits);
  const int exponent = static_cast<int>(bits >> fraction_bits) % exponents;
  const double fraction = std::ldexp(bits % (1U << fraction_bits), -fraction_bits);
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == exponents - 1) return fraction == 0 ? sign * HUGE_VAL : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

TEST(Safetensors, EveryHalfIsWidenedExactly) {
  std::string bytes;
  for (unsigned bits = 0; bits < 1U << 16; ++bits)
    bytes += {static_cast<char>(bits & 255), static_cast<char>(bits >> 8)};
  const ScratchFolder folder;
  for (const auto& [dtype, fraction_bits, bias] : {std::tuple("F16", 10, 15), std::tuple("BF16", 7, 127)}) {
    const SafetensorsFile file(
        folder.write("a", raw_safetensors(tensor_x(dtype, "[65536]", "[0,131072]"), bytes)));
    EXPECT_TRUE(is_real(file.tensor("x").dtype));
    for (unsigned bits = 0; bits < 1U << 16; ++bits) {
      const double read = SafetensorsFile::element(file.tensor("x"), bits);
      const double meant = meaning(bits, fraction_bits, bias);
      EXPECT_TRUE(read == meant || (std::isnan(read) && std::isnan(meant))) << dtype << " " << bits;
    }
  }
}

TEST(Safetensors, AFileMayHaveTensorsOfTypesThatAreNotRead) {
  const ScratchFolder folder;
  for (const auto& [dtype, size] : {std::pair("BOOL", 3),
                                    {"U8", 3},
                                    {"F8_E4M3", 3},
                                    {"F8_E8M0", 3},
                                    {"F8_E5M2FNUZ", 3},
                                    {"I16", 6},
                                    {"I64", 24},
                                    {"C64", 24},
                                    {"F6_E2M3", 3},
                                    {"F4", 2},
                                    {"F2_OF_TOMORROW", 5}}) {
    const SafetensorsFile file(
        folder.write("a", raw_safetensors(tensor_x(dtype, "[3]", fmt::format("[0,{}]", size)), zeros(size))));
    EXPECT_EQ(file.tensor("x").dtype, DType::other);
    EXPECT_FALSE(is_real(file.tensor("x").dtype));
    EXPECT_THAT([&] { SafetensorsFile::element(file.tensor("x"), 0); },
                ThrowsMessage<InputError>(HasSubstr(dtype)));
  }
}

TEST(Safetensors, AHeaderIsReadInLinearTimeUpToTheLengthOfTheFormat) {
  const ScratchFolder folder;
  std::string header = "{";
  for (int i = 0; i < 100'000; ++i)
    header += fmt::format(R"({}"layers.{}":{{"dtype":"I8","shape":[1],"data_offsets":[{},{}]}})",
                          i == 0 ? "" : ",", i, i, i + 1);
  header += "}" + std::string(40'000'000, ' ');
  const std::string path = folder.write("a", raw_safetensors(header, zeros(100'000)));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(SafetensorsFile(path).tensors().size(), 100'000U);
  // Quadratic time takes minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_THAT([&] { SafetensorsFile(folder.write("a", raw_safetensors(std::string(100'000'001, ' '), ""))); },
              ThrowsMessage<InputError>(HasSubstr("at most 100000000 are read")));
}

struct Hostile {
  std::string bytes;
  std::vector<std::string> facts;
};

std::vector<Hostile> hostile_files() {
  const auto x = [](const char* dtype, const char* shape, const char* offsets, std::size_t data) {
    return raw_safetensors(tensor_x(dtype, shape, offsets), zeros(data));
  };
  const auto header = [](const std::string& text) { return raw_safetensors(text, ""); };
  const auto two = [](const char* first, const char* second, std::size_t data) {
    return raw_safetensors(std::string(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":)") + first +
                               R"(},"b":{"dtype":"I8","shape":[4],"data_offsets":)" + second + "}}",
                           zeros(data));
  };
  return {
      // The container.
      {"", {"0 bytes", "at least 8"}},
      {"1234567", {"7 bytes", "at least 8"}},
      {raw_length(0), {"not JSON at offset 8"}},
      {raw_length(1), {"said to have 1 bytes", "the file has 0"}},
      {raw_length('<') + "{}", {"said to have 60 bytes", "the file has 2"}},
      {raw_length(0x0280) + "{}", {"said to have 640 bytes", "the file has 2"}},
      {raw_length(100) + "{}", {"said to have 100 bytes", "the file has 2"}},
      {raw_length(UINT64_MAX) + "{}", {"18446744073709551615 bytes", "the file has 2"}},
      {raw_length(UINT64_MAX - 7) + "{}", {"18446744073709551608 bytes"}},
      {raw_length(std::uint64_t{1} << 63) + "{}", {"9223372036854775808 bytes"}},
      // What lies under such a name instead.
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n", {"a git-lfs pointer"}},
      {"\n<!DOCTYPE html>\n<html><body>404", {"an HTML or XML page"}},
      {std::string("GGUF\3\0\0\0\0\0", 10), {"a GGUF file"}},
      {std::string("PK\3\4\0\0\10\10\0\0", 10), {"a ZIP archive", "torch.save"}},
      {std::string("\x80\2\x8a\nl\xfc\x9c"
                   "F\xf9 j\xa8P\x19.",
                   15),
       {"a pickle"}},
      {"{\"weight_map\": {}}", {"JSON text"}},
      // The JSON.
      {header("{"), {"not JSON at offset"}},
      {header("{}x"), {"not JSON at offset 10"}},
      {header("[]"), {"not a JSON object"}},
      {header("null"), {"not a JSON object"}},
      {header("\xff\xfe{}"), {"not JSON"}},
      {header("{\"\xc3\x28\":1}"), {"not JSON"}},
      {header(std::string("{}\0{}", 5)), {"zero byte at offset 10"}},
      {header(std::string(100'000, '[')), {"not a JSON object"}},
      {header(R"({"x":)" + std::string(100'000, '[')), {"nested too deeply"}},
      {header(R"({"x":{"shape":[[[]]]}})"), {"nested too deeply"}},
      {header(R"({"x":1e999})"), {"not JSON"}},
      {raw_safetensors(R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"I8",)"
                       R"("shape":[1],"data_offsets":[0,1]}})",
                       "a"),
       {"\"x\" twice"}},
      {raw_safetensors(R"({"x":{"dtype":"I8","shape":[1],"shape":[1],"data_offsets":[0,1]}})", "a"),
       {"\"shape\" twice"}},
      // Metadata.
      {header(R"({"__metadata__":"spec"})"), {"__metadata__ is not a JSON object"}},
      {header(R"({"__metadata__":{"seed":11}})"), {"\"seed\"", "not a string"}},
      {header(R"({"__metadata__":{"a":"1","a":"2"}})"), {"\"a\" twice"}},
      // One tensor.
      {header(R"({"x":[]})"), {"\"x\"", "not a JSON object"}},
      {header(R"({"x":{"shape":[1],"data_offsets":[0,1]}})"), {"\"x\"", "no 'dtype'"}},
      {header(R"({"x":{"dtype":"I8","data_offsets":[0,1]}})"), {"\"x\"", "no 'shape'"}},
      {header(R"({"x":{"dtype":"I8","shape":[1]}})"), {"\"x\"", "no 'data_offsets'"}},
      {x("F4", "[4]", "[0,8]", 8), {"\"x\"", "F4 [4] takes 2"}},
      {x("F6_E3M2", "[5]", "[0,5]", 5), {"\"x\"", "F6_E3M2 [5] takes 4"}},
      {x("C64", "[2]", "[0,8]", 8), {"\"x\"", "C64 [2] takes 16"}},
      {x("F2_OF_TOMORROW", "[2]", "[0,9]", 8), {"\"x\"", "within the 8 bytes"}},
      {raw_safetensors(R"({"x":{"dtype":8,"shape":[1],"data_offsets":[0,8]}})", zeros(8)),
       {"\"x\"", "dtype that is not a string"}},
      {x("F64", "1", "[0,8]", 8), {"\"x\"", "shape that is not an array"}},
      {x("F64", "[-1]", "[0,8]", 8), {"\"x\"", "-1", "shape"}},
      {x("F64", "[1.0]", "[0,8]", 8), {"\"x\"", "1.0", "shape"}},
      {x("F64", "[true]", "[0,8]", 8), {"\"x\"", "true", "shape"}},
      {x("F64", "[\"1\"]", "[0,8]", 8), {"\"x\"", "shape"}},
      {x("I8", "[18446744073709551615]", "[0,8]", 8), {"\"x\"", "18446744073709551615", "2^63 - 1"}},
      {x("I8", "[99999999999999999999999]", "[0,8]", 8), {"\"x\"", "shape"}},
      {x("F64", "[4294967296,4294967296,4]", "[0,8]", 8), {"\"x\"", "4294967296", "overflows"}},
      {x("F64", "[2305843009213693953]", "[0,8]", 8), {"\"x\"", "overflows"}},
      {x("F64", "[1]", "8", 8), {"\"x\"", "data_offsets that is not an array"}},
      {x("F64", "[1]", "[8]", 8), {"\"x\"", "has 1 data_offsets, but 2"}},
      {x("F64", "[1]", "[0,8,8]", 8), {"\"x\"", "has 3 data_offsets, but 2"}},
      {x("F64", "[1]", "[0,8.5]", 8), {"\"x\"", "8.5", "data_offsets"}},
      {x("F64", "[1]", "[-8,0]", 8), {"\"x\"", "-8", "data_offsets"}},
      {x("F64", "[1]", "[8,0]", 8), {"\"x\"", "[8, 0]", "ordered"}},
      {x("F64", "[1]", "[0,8]", 7), {"\"x\"", "[0, 8]", "within the 7 bytes"}},
      {x("F64", "[1]", "[9223372036854775800,9223372036854775807]", 8), {"\"x\"", "within the 8 bytes"}},
      {x("F64", "[2]", "[0,8]", 8), {"\"x\"", "[0, 8], 8 bytes", "F64 [2] takes 16"}},
      {x("F32", "[1]", "[0,8]", 8), {"\"x\"", "F32 [1] takes 4"}},
      {x("F64", "[]", "[0,0]", 0), {"\"x\"", "F64 [] takes 8"}},
      // How tensors lie together.
      {two("[0,4]", "[2,6]", 8), {"\"b\"", "data offset 2", "ends at 4", "overlap"}},
      {two("[0,4]", "[0,4]", 4), {"\"b\"", "data offset 0", "ends at 4", "overlap"}},
      {two("[0,4]", "[5,9]", 9), {"\"b\"", "data offset 5", "ends at 4", "gap"}},
      {two("[5,9]", "[1,5]", 9), {"\"b\"", "data offset 1", "ends at 0", "gap"}},
      {two("[0,4]", "[4,8]", 9), {"end at data offset 8", "has 9 bytes"}},
      {raw_safetensors("{}", "x"), {"end at data offset 0", "has 1 bytes"}},
  };
}

TEST(Safetensors, HostileFilesAreRefusedByNameAndFact) {
  const ScratchFolder folder;
  for (const auto& [bytes, facts] : hostile_files()) {
    const std::string path = folder.write("hostile.safetensors", bytes);
    try {
      const SafetensorsFile file(path);
      ADD_FAILURE() << "accepted: " << bytes.substr(0, 200);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'" + path + "'"));
      for (const std::string& fact : facts) EXPECT_THAT(error.what(), HasSubstr(fact));
      EXPECT_LT(std::strlen(error.what()), 500U + path.size());
    }
  }
}

TEST(Safetensors, EveryTruncationOfAFileIsRefused) {
  const ScratchFolder folder;
  const std::string whole = raw_safetensors(tensor_x("F64", "[2,3]", "[0,48]"), zeros(48));
  EXPECT_NO_THROW(SafetensorsFile(folder.write("a", whole)));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(SafetensorsFile(folder.write("a", whole.substr(0, length))), InputError) << length;
}

TEST(Safetensors, FlippingBitsOfTheHeaderNeverCrashes) {
  const ScratchFolder folder;
  const std::string whole = raw_safetensors(
      R"({"__metadata__":{"k":"v"},"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})", zeros(24));
  int accepted = 0;
  for (std::size_t byte = 0; byte < whole.size() - 24; ++byte)
    for (int bit = 0; bit < 8; bit += 2) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      try {
        const SafetensorsFile file(folder.write("a", damaged));
        ++accepted;
        for (const auto& [name, tensor] : file.tensors())
          EXPECT_TRUE(std::isfinite(SafetensorsFile::element(tensor, 5)));
      } catch (const InputError&) {
      }
    }
  EXPECT_GT(accepted, 0);  // another name, another metadata text
}

TEST(Safetensors, WhatIsNoFileIsRefusedWithTheReason) {
  const ScratchFolder folder;
  const auto refused = [](const std::string& path, const char* reason) {
    EXPECT_THAT([&] { SafetensorsFile file(path); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("'" + path + "'"), HasSubstr(reason))));
  };
  refused(folder.path("missing"), "No such file");
  refused(folder.path(), "folder");
  refused("/dev/null", "not a regular file");
  refused("", "No such file");
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  refused(folder.path("pipe"), "not a regular file");
}

TEST(Safetensors, TextOfAFileReachesMessagesWithoutControlCharacters) {
  const ScratchFolder folder;
  const std::string path = folder.write("a", raw_safetensors(R"({"\u001b[2Jx":{}})", ""));
  EXPECT_THAT([&] { SafetensorsFile file(path); }, ThrowsMessage<InputError>(Not(HasSubstr("\x1b"))));
}

TEST(Safetensors, ARefusedFileLeavesNoMapAndNoDescriptor) {
  const ScratchFolder folder;
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto maps = [&] {
    std::ifstream in("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(in, line);) count += line.find(folder.path()) != std::string::npos;
    return count;
  };
  const std::string good = folder.write("good", raw_safetensors(tensor_x("F64", "[1]", "[0,8]"), zeros(8)));
  const auto before = descriptors();
  for (const auto& [bytes, facts] : hostile_files())
    EXPECT_THROW(SafetensorsFile(folder.write("bad", bytes)), InputError);
  EXPECT_EQ(maps(), 0);
  EXPECT_EQ(descriptors(), before);
  {
    const SafetensorsFile file(good);
    EXPECT_EQ(maps(), 1);
    EXPECT_EQ(descriptors(), before + 1) << "by which reads see whether the file was cut";
  }
  EXPECT_EQ(maps(), 0);
  EXPECT_EQ(descriptors(), before);
}

}  // namespace
}  // namespace hardhead::attention
