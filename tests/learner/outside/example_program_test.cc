#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/files/safetensors.h"
#include "base/process/guarded_process.h"
#include "tests/learner/nice_source.h"
#include "tests/scratch_folder.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::SafetensorsFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::NiceSource;
using ::testing::Pair;

TEST(ExampleProgram, ACommandIsAllThatFollowsTheColon) {
  for (const char* text : {"exec:./fit.py --rate=3,4 a:b", "exec:command=./fit.py --rate=3,4 a:b"}) {
    const Spec spec = parse_learner(text);
    EXPECT_EQ(spec, (Spec{"exec", {{"command", "./fit.py --rate=3,4 a:b"}}})) << text;
    EXPECT_EQ(parse_learner(spec.str()), spec) << text;
  }
  EXPECT_EQ(parse_learner("sculpt:rows=3"), Spec::parse("sculpt:rows=3"));
  const Spec values = parse_learner("exec:access=values,./ask.py --rate=3,4");
  EXPECT_EQ(values, (Spec{"exec", {{"access", "values"}, {"command", "./ask.py --rate=3,4"}}}));
  EXPECT_EQ(parse_learner(values.str()), values);
  EXPECT_THROW(parse_learner("exec:access=values"), InputError);
  EXPECT_THROW(Learner(parse_learner("exec:access=none,true")), InputError);
  EXPECT_EQ(Learner(values).access(), Access::values);
  EXPECT_EQ(Learner(values).ladder(0.1).size(), 1) << "it asks as much as it needs";
  EXPECT_GT(Learner(parse_learner("exec:true")).ladder(0.1).size(), 1);
  EXPECT_EQ(Learner(parse_learner("exec:true")).access(), Access::examples);
  EXPECT_THROW(parse_learner("exec:"), InputError);
  EXPECT_THROW(parse_learner("exec:command="), InputError);
  EXPECT_THROW(parse_learner("sculpt:rows"), InputError);
}

// The data file that a program gets, which copies it.
Report copy_data(const ScratchFolder& folder, const NiceSource& nice, const Task& task) {
  const std::string copy = folder.path("copy");
  return learn(parse_learner(fmt::format("exec:copy() {{ cp \"$1\" {}; }}; copy", shell_quoted(copy))),
               nice.source, task);
}

TEST(ExampleProgram, TheProgramSeesEveryExampleButTheHeldBackLabels) {
  const ScratchFolder folder;
  const NiceSource nice("nice:d=4,k=3,m=2");
  copy_data(folder, nice, {.heads = 2, .examples = 500, .seed = 7});
  const SafetensorsFile file(folder.path("copy"));
  std::vector<std::string> names;
  for (const auto& [name, tensor] : file.tensors()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("x", "x_held_back", "y"));
  EXPECT_EQ(file.tensor("x").shape, (std::vector<std::int64_t>{450, 3, 4}));
  EXPECT_EQ(file.tensor("y").shape, (std::vector<std::int64_t>{450, 3, 4}));
  EXPECT_EQ(file.tensor("x_held_back").shape, (std::vector<std::int64_t>{50, 3, 4}));
  attention::Block block(4, 3, 500);
  nice.source.read(0, block);
  for (Index n = 0; n < 500; ++n)
    for (Index a = 0; a < 3; ++a)
      for (Index f = 0; f < 4; ++f) {
        const Index at = ((n < 450 ? n : n - 450) * 3 + a) * 4 + f, column = block.column(a, n);
        ASSERT_EQ(SafetensorsFile::element(file.tensor(n < 450 ? "x" : "x_held_back"), at),
                  block.x(f, column));
        if (n < 450) {
          ASSERT_EQ(SafetensorsFile::element(file.tensor("y"), at), block.y(f, column));
        }
      }
}

TEST(ExampleProgram, TheDataFileTellsTheTaskAndNothingOfTheInstance) {
  const ScratchFolder folder;
  const NiceSource nice("nice:d=4,k=3,m=2");
  copy_data(folder, nice, {.heads = 2, .examples = 500, .seed = 7});
  EXPECT_THAT(SafetensorsFile(folder.path("copy")).metadata(),
              ElementsAre(Pair("heads", "2"), Pair("inputs", "boolean"), Pair("seed", "7")));
  copy_data(folder, nice, {.examples = 500, .seed = 7});
  EXPECT_THAT(SafetensorsFile(folder.path("copy")).metadata(),
              ElementsAre(Pair("inputs", "boolean"), Pair("seed", "7")));
}

TEST(ExampleProgram, AProgramWithoutAResultIsAnOutcome) {
  const ScratchFolder folder;
  const NiceSource nice("nice:d=4,k=3,m=2");
  const Report report = copy_data(folder, nice, {.examples = 500});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_EQ(report.failed_phase, "exec");
  EXPECT_THAT(report.message, HasSubstr("result.safetensors"));
  EXPECT_FALSE(report.layer);
  EXPECT_FALSE(report.held_back);
  EXPECT_EQ(report.examples_used, 500);
}

}  // namespace
}  // namespace hardhead::learner
