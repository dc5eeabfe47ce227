#include "study/problem/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/files/data_file.h"
#include "attention/files/layer_file.h"
#include "base/error.h"
#include "hardness/families/family.h"
#include "study/run/test_error.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using attention::Block;

attention::RowMatrix first_inputs(const attention::SampleSource& source) {
  Block block(source.d(), source.k(), 3);
  source.read(0, block);
  return block.x;
}

std::string write_nice_layer(const ScratchFolder& folder, const attention::Metadata& metadata) {
  const std::string path = folder.path("layer.safetensors");
  attention::write_layer(path, hardness::make_instance(Spec::parse("nice:d=6,k=2")).layer, metadata);
  return path;
}

std::string write_nice_data(const ScratchFolder& folder, std::int64_t count) {
  const std::string path = folder.path("data.safetensors");
  attention::write_data(path, *examples_of("nice:d=6,k=2", Domain::samples, 1), count, {}, {});
  return path;
}

TEST(Problem, ALayerFileWithAnotherProgramsSpecIsALayer) {
  const ScratchFolder folder;
  for (const char* spec : {"bert:layer=3", "nice:depth=2", "", "nice:d=7"}) {
    const auto named = Source(write_nice_layer(folder, {{"k", "2"}, {"spec", spec}})).resolve();
    EXPECT_TRUE(named->instance->spec.name.empty()) << spec;
    EXPECT_EQ(named->instance->layer.d, 6) << spec;
  }
}

TEST(Problem, ALayerFileIsToldItsTokensAndInputs) {
  const ScratchFolder folder;
  const std::string bare = write_nice_layer(folder, {});
  EXPECT_THROW(Source(bare).resolve(), InputError);
  const Source told(bare + ":k=3,inputs=gaussian");
  EXPECT_EQ(told.resolve()->instance->k, 3);
  EXPECT_EQ(told.resolve()->instance->inputs, attention::Inputs::gaussian);
  EXPECT_NE(told.digest(), Source(bare + ":k=2,inputs=gaussian").digest()) << "other examples";
  EXPECT_EQ(open_layer(bare + ":k=4").k, 4);
  EXPECT_EQ(open_problem(told, {}).k, 3);

  // The instance of its spec, unless it is asked for other inputs than those.
  const std::string whole = write_nice_layer(folder, {{"k", "2"}, {"spec", "nice:d=6,k=2"}});
  EXPECT_EQ(Source(whole + ":k=2").resolve()->spec(), Source("nice:d=6,k=2").resolve()->spec());
  EXPECT_EQ(Source(whole + ":k=3").resolve()->spec(), "");
  EXPECT_EQ(Source(whole + ":inputs=sphere").resolve()->instance->inputs, attention::Inputs::sphere);
  for (const char* wrong : {":k=0", ":k=x", ":m=2", ":inputs=cube", ":k"})
    EXPECT_THROW(Source(whole + wrong).resolve(), InputError) << wrong;
  EXPECT_THROW(Source(write_nice_data(folder, 50) + ":k=2").resolve(), InputError) << "data have their own";
}

TEST(Problem, ASpecGivesSeparateTrainingAndTestExamples) {
  const Problem problem = open_problem("nice:d=12,k=2,seed=4", {});
  EXPECT_EQ(problem.training->size(), attention::SampleSource::unlimited);
  EXPECT_EQ(problem.test_count, Problem::test_limit);
  EXPECT_NE(first_inputs(*problem.training), first_inputs(*problem.test));
  EXPECT_EQ(problem.m, 2);
  EXPECT_NE(problem.spec.find("seed=4"), std::string::npos);
}

TEST(Problem, TheRunSeedMovesExamplesAndTheInstanceDoesNotChange) {
  ProblemOptions other;
  other.seed = 2;
  const Problem one = open_problem("nice:d=12", {}), two = open_problem("nice:d=12", other);
  EXPECT_EQ(one.digest, two.digest);
  EXPECT_NE(first_inputs(*one.training), first_inputs(*two.training));
  EXPECT_NE(first_inputs(*one.test), first_inputs(*two.test));
}

TEST(Problem, SmallBooleanInstancesAreTestedOnAllInputs) {
  EXPECT_EQ(open_problem("parity:d=8,m=2", {}).test_count, 1 << 16);
  EXPECT_EQ(open_problem("nice:d=4,k=2", {}).test_count, 1 << 8);
  EXPECT_EQ(open_problem("nice:d=4,k=2,inputs=gaussian", {}).test_count, Problem::test_limit);
  EXPECT_EQ(open_problem("nice:d=9,k=2", {}).test_count, Problem::test_limit);
}

TEST(Problem, LargeLayersHaveFewerTestExamples) {
  EXPECT_EQ(test_examples(16, 3, 2), Problem::test_limit);
  EXPECT_EQ(test_examples(256, 2, 8), Problem::test_limit);
  EXPECT_LT(test_examples(256, 2, 32), 6000);
  EXPECT_EQ(test_examples(1024, 64, 64), Problem::least_test_examples);
  const Problem problem = open_problem("parity:d=512,m=6", {});
  EXPECT_EQ(problem.test_count, test_examples(512, 2, *problem.m));
  EXPECT_LT(problem.test_count, Problem::test_limit);
}

TEST(Problem, FewerTestExamplesOfLargeLayersStillMeasureTheAdvantage) {
  Problem problem = open_problem("nice:d=256,k=2,m=2", {});
  problem.test_count = Problem::least_test_examples;
  attention::Layer other = *problem.truth;
  other.heads[0].theta *= 0.5;
  const auto interval = statistics::ratio_interval(errors_beside_null(other, problem).beside_null).value();
  EXPECT_LT(interval.high - interval.low, 0.02);
}

TEST(Problem, LabelNoiseIsOnTrainingLabelsOnlyAndRelativeToTheirSize) {
  const Problem problem = open_problem("degraded:d=12,which=label_noise,knob=0.5", {});
  const auto error_of = [&](const attention::SampleSource& source) {
    return test_error(*problem.truth, source, 4096);  // of the true layer, relative to the labels
  };
  EXPECT_LE(error_of(*problem.test), 1e-28);
  EXPECT_NEAR(error_of(*problem.training), 0.25 / 1.25, 0.01);
  EXPECT_LE(error_of(*examples_of(problem.spec, Domain::null_predictor, 1)), 1e-28);

  ProblemOptions other;
  other.seed = 2;
  Block one(12, 3, 2), two(12, 3, 2);
  problem.training->read(0, one);
  open_problem(problem.spec, other).training->read(0, two);
  EXPECT_NE(one.y, two.y);
}

TEST(Problem, LabelsWhoseSquaresAreNoDoublesAreRefused) {
  const ScratchFolder folder;
  for (const double scale : {1e-170, 1e170}) {
    attention::Layer layer = hardness::make_instance(Spec::parse("nice:d=6,k=2")).layer;
    for (attention::Head& head : layer.heads) head.w *= scale;
    const std::string path = folder.path("layer.safetensors"), data = folder.path("data.safetensors");
    attention::write_layer(path, layer, {{"k", "2"}});
    attention::write_data(data, *examples_of(Source(path), Domain::samples, 1), 100, {}, {});
    for (const std::string& file : {path, data})
      EXPECT_THAT(refusal_of([&] { open_problem(Source(file), {}); }),
                  testing::HasSubstr("whose squares are no doubles"));
  }
}

TEST(Problem, AFileHoldsBackItsLastExamples) {
  const ScratchFolder folder;
  const std::string path = write_nice_data(folder, 100);
  const Problem problem = open_problem(path, {});
  EXPECT_EQ(problem.training->size(), 90);
  EXPECT_EQ(problem.test_count, 10);
  const attention::FileSource whole(path);
  EXPECT_EQ(first_inputs(attention::SourceRange(whole, 90, 10)), first_inputs(*problem.test));
  EXPECT_FALSE(problem.truth);
  EXPECT_EQ(problem.spec, "");
}

TEST(Problem, AHoldoutLeavesAtLeastOneOnEitherSide) {
  const ScratchFolder folder;
  const std::string path = write_nice_data(folder, 4);
  ProblemOptions options;
  options.holdout = 1e-9;
  EXPECT_EQ(open_problem(path, options).test_count, 1);
  options.holdout = 0.99;
  EXPECT_THROW(open_problem(path, options), InputError);
  options.holdout = 1;
  EXPECT_THROW(open_problem(path, options), InputError);
}

TEST(Problem, ATruthMustFitAndIsForFilesOnly) {
  const ScratchFolder folder;
  ProblemOptions options;
  options.truth = write_nice_layer(folder, {});
  EXPECT_EQ(open_problem(write_nice_data(folder, 50), options).m, 2);
  EXPECT_THROW(open_problem("nice:d=6,k=2", options), InputError);
  attention::write_layer(*options.truth, hardness::make_instance(Spec::parse("nice:d=7")).layer, {});
  EXPECT_THROW(open_problem(write_nice_data(folder, 50), options), InputError);
}

TEST(Source, ALayerFileOfAHardInstanceLabelsByItsExactValues) {
  const ScratchFolder folder;
  const hardness::Instance instance = hardness::make_instance(Spec::parse("parity:d=10,m=4"));
  const std::string path = folder.path("layer.safetensors");
  attention::write_layer(path, instance.layer, {{"spec", instance.spec.str()}, {"k", "2"}});
  const auto named = Source(path).resolve();
  EXPECT_EQ(named->instance->digest, instance.digest);
  EXPECT_TRUE(named->instance->null.exact_error);
}

TEST(Source, ALayerFileThatIsNotItsSpecsLayerStandsForItself) {
  const ScratchFolder folder;
  const auto named =
      Source(write_nice_layer(folder, {{"spec", "nice:d=6,k=2,seed=9"}, {"k", "4"}, {"inputs", "sphere"}}))
          .resolve();
  EXPECT_EQ(named->instance->spec.name, "");
  EXPECT_EQ(named->instance->k, 4);
  EXPECT_EQ(named->instance->inputs, attention::Inputs::sphere);
}

TEST(Source, ALayerFileMustSayHowManyTokens) {
  const ScratchFolder folder;
  EXPECT_THROW(Source(write_nice_layer(folder, {})).resolve(), InputError);
  for (const char* k : {"0", "-1", "two", "2.5", "99999999999999999999"})
    EXPECT_THROW(Source(write_nice_layer(folder, {{"k", k}})).resolve(), InputError) << k;
}

TEST(Source, CopiesOfAHandleShareOneValueWhichIsMadeOnce) {
  const Source source("nice:d=6,k=2"), copy = source, another("nice:d=6,k=2");
  const auto value = source.resolve();
  EXPECT_EQ(copy.resolve(), value);
  EXPECT_NE(another.resolve(), value);
  EXPECT_EQ(open_problem(copy, {}).instance, value->instance);
  EXPECT_EQ(source, copy);
  EXPECT_FALSE(source == another);
}

TEST(Source, ANamedFileIsReadOnce) {
  const ScratchFolder folder;
  const Source data(write_nice_data(folder, 50));
  const std::string digest = data.digest();
  const auto value = data.resolve();
  EXPECT_EQ(open_problem(data, {}).digest, digest);
  EXPECT_EQ(data.resolve(), value);
  EXPECT_EQ(data.shape().examples, 50);
  EXPECT_EQ(data.shape().m, std::nullopt);
}

TEST(Source, ManyLargeOnesDoNotAllStayInMemoryAndKnowTheirShapes) {
  std::vector<Source> sources;
  std::vector<std::weak_ptr<const ResolvedSource>> values;
  for (int seed = 1; seed <= 6; ++seed) {  // 42 MB each
    sources.emplace_back("nice:d=405,m=8,seed=" + std::to_string(seed));
    values.push_back(sources.back().resolve());
  }
  EXPECT_TRUE(values.front().expired());
  EXPECT_FALSE(values.back().expired());
  EXPECT_EQ(sources.front().shape().m, 8);
  EXPECT_TRUE(values.front().expired()) << "its shape was remembered";
  EXPECT_EQ(sources.front().resolve()->instance->layer.d, 405);
  const std::weak_ptr<const ResolvedSource> last = values.back();
  sources.clear();
  EXPECT_TRUE(last.expired()) << "nothing is kept that no handle can ask for";
}

TEST(Source, ThatIsMadeAnewHasToBeTheSameLayer) {
  hardness::Family changing = hardness::find_family("nice");
  changing.name = "changing";
  changing.make = [made = std::make_shared<int>(0)](const Spec&) {
    return hardness::make_instance(Spec::parse(fmt::format("nice:d=3,m=1,seed={}", ++*made)));
  };
  hardness::add_family(std::move(changing));
  const Source source("changing:d=3,m=1");
  const std::string digest = source.digest();
  EXPECT_NE(source.resolve(), nullptr) << "it is kept";
  constexpr int more_than_are_kept = 300;
  std::vector<Source> others;
  for (int seed = 0; seed < more_than_are_kept; ++seed)
    others.emplace_back(fmt::format("nice:d=2,m=1,seed={}", seed)).resolve();
  EXPECT_THAT(refusal_of([&] { source.resolve(); }),
              testing::HasSubstr("'changing:d=3,m=1' is another layer than the one that was made of it"));
}

TEST(Source, HasACanonicalNameAndALabelWithoutBeingMade) {
  EXPECT_EQ(Source("nice:k=2,d=6").canonical_name(), Source("nice:d=6,k=2,seed=1").canonical_name());
  EXPECT_NE(Source("nice:d=6,seed=2").canonical_name(), Source("nice:d=6").canonical_name());
  EXPECT_EQ(Source("nice:d=6,seed=2").label(), "nice:d=6");
  EXPECT_EQ(Source("./layer.safetensors").label(), "./layer.safetensors");
  EXPECT_THROW(Source("nise").canonical_name(), InputError);
  EXPECT_NO_THROW(Source("nise"));
}

TEST(Source, OfTheCallersOwnExamplesIsOpenedLikeADataFile) {
  const auto whole = examples_of("nice:d=6,k=2", Domain::samples, 1);
  const auto range = std::make_shared<attention::SourceRange>(*whole, 0, 100);
  const Source source = Source::of("mine", range);
  EXPECT_FALSE(source.opens_by_name());
  EXPECT_EQ(source.canonical_name(), source.digest());
  Problem problem = open_problem(source, {});
  EXPECT_EQ(problem.training->size(), 90);
  EXPECT_EQ(problem.source, "mine");
  set_truth(problem, hardness::make_instance(Spec::parse("nice:d=6,k=2")).layer);
  EXPECT_EQ(problem.m, 2);
  EXPECT_THROW(set_truth(problem, hardness::make_instance(Spec::parse("nice:d=7")).layer), InputError);
  EXPECT_THROW(open_problem(Source::of("mine", whole), {}), InputError) << "they have no end";
}

TEST(Source, OfAnInstanceIsThatInstance) {
  const auto instance =
      std::make_shared<hardness::Instance>(hardness::make_instance(Spec::parse("parity:d=6,m=2")));
  const Problem problem = open_problem(Source::of(instance), {});
  EXPECT_EQ(problem.instance, instance);
  EXPECT_EQ(problem.source, instance->spec.str());
  EXPECT_EQ(problem.digest, instance->digest);
}

TEST(Source, PathsAreToldFromSpecs) {
  EXPECT_TRUE(names_a_file("missing.safetensors"));
  EXPECT_TRUE(names_a_file("folder/layer"));
  EXPECT_FALSE(names_a_file("nice"));
  EXPECT_FALSE(names_a_file("nice:theta_norm=0.5"));
}

// A forward pass would write equal levels of a hard layer as several doubles, by what it hides.
TEST(Problem, AHardLayerThatLostItsSpecIsNotLabelledByAForwardPassUnlessItSaysSo) {
  const ScratchFolder folder;
  const std::string path = folder.path("layer.safetensors");
  for (const char* spec : {"parity:d=8,m=3", "lwr:n=2,q=8", "lpn:n=5"}) {
    const hardness::Instance instance = hardness::make_instance(Spec::parse(spec));
    attention::write_layer(path, instance.layer, {{"k", "2"}});
    EXPECT_THAT(refusal_of([&] { open_problem(Source(path), {}); }),
                testing::HasSubstr("form of a hard one"));
    attention::write_layer(path, instance.layer, {{"k", "2"}, {"labels", "forward"}});
    EXPECT_EQ(open_problem(Source(path), {}).spec, "");
    attention::write_layer(path, instance.layer, {{"k", "2"}, {"spec", instance.spec.str()}});
    EXPECT_EQ(open_problem(Source(path), {}).spec, instance.spec.str());
  }
}

TEST(ProblemSummary, AnAdvantageIsMeasuredBetweenTheNullErrorAndThatOfTheMeanOfNoisyLabels) {
  const Problem problem = open_problem("lpn:n=4,rate=0.25", {});
  EXPECT_EQ(problem.ceiling_error, 0.125);
  EXPECT_EQ(problem.advantage(problem.null_error), 0);
  EXPECT_EQ(problem.advantage(0.125), 1);
  EXPECT_GT(problem.advantage(0), 1) << "who knows the law of the noise can be better than regression";
  EXPECT_NEAR(problem.advantage(problem.error_at(0.99)), 0.99, 1e-15);
  EXPECT_EQ(open_problem("parity:d=8,m=2", {}).ceiling_error, 0);
}

}  // namespace
}  // namespace hardhead::study
