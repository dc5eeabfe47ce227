#include "study/atlas/atlas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using ::testing::HasSubstr;

AtlasPlan small_plan() {
  AtlasPlan out;
  out.series = {{"nice:d=6,k=2,m=1"}, {"parity:d=6,m=2", "parity:d=6,m=3", "parity:d=6,m=4"}};
  std::vector<learner::Learner> learners;
  for (const char* name : {"gauss-newton:student=1,starts=1,oversampling=8,start_norm=0.5", "phase1"})
    learners.emplace_back(Spec::parse(name));
  for (const char* name : {"mobius", "flip", "chain"}) learners.emplace_back(Spec::parse(name));
  out.shot = BestShotOptions::of_all({.sources = {}, .learners = learners, .seeds = 2}, 100);
  out.shot.most_examples = 25'000;
  out.failures = 1;
  return out;
}

const AtlasCell& cell_of(const Atlas& atlas, const std::string& source, const std::string& learner) {
  const auto at = std::ranges::find_if(atlas.cells, [&](const AtlasCell& cell) {
    return cell.source == source && cell.learner.name() == learner;
  });
  return *at;
}

TEST(Atlas, SaysForEachPairWhetherTheLearnerLearnsTheFamily) {
  const AtlasPlan plan = small_plan();
  const Atlas atlas = draw_atlas(plan, {});
  ASSERT_EQ(atlas.cells.size(), 4 * 5);
  EXPECT_FALSE(atlas.interrupted);

  const AtlasCell nice = cell_of(atlas, "nice:d=6,k=2,m=1", "gauss-newton");
  EXPECT_TRUE(nice.reached(plan));
  EXPECT_EQ(nice.degree(), Degree::recovered);
  EXPECT_EQ(nice.successes(), 2);
  EXPECT_EQ(nice.cost(), 200);

  const AtlasCell queries = cell_of(atlas, "parity:d=6,m=4", "flip");
  EXPECT_TRUE(queries.reached(plan));
  EXPECT_EQ(queries.cost(), 5);  // one for each coordinate but the switch

  EXPECT_TRUE(cell_of(atlas, "parity:d=6,m=4", "chain").reached(plan));

  const AtlasCell first = cell_of(atlas, "parity:d=6,m=2", "phase1");
  EXPECT_FALSE(first.reached(plan));
  EXPECT_FALSE(first.untried());
  EXPECT_TRUE(cell_of(atlas, "parity:d=6,m=3", "phase1").untried());
  EXPECT_TRUE(cell_of(atlas, "parity:d=6,m=4", "phase1").untried());
}

TEST(Atlas, AFamilyThatALearnerByQueriesRefusesIsACell) {
  const Atlas atlas = draw_atlas(small_plan(), {});
  const AtlasCell refused = cell_of(atlas, "nice:d=6,k=2,m=1", "flip");
  EXPECT_THAT(refused.refusal, HasSubstr("flip reads what a hard family hides"));
  EXPECT_FALSE(refused.untried());
  EXPECT_FALSE(refused.degree());
  const report::Grid map = atlas_grid(atlas);
  EXPECT_EQ(map.cells[0][3].text, "not its kind");
  EXPECT_EQ(map.cells[0][4].text, "not its kind") << "chain reads a parity";
  EXPECT_THAT(map.groups, testing::ElementsAre(
                              std::pair("by random examples", 2), std::pair("by values at chosen inputs", 1),
                              std::pair("by values at chosen inputs, told: gadget", 1),
                              std::pair("by values at chosen inputs, told: intermediate results", 1)));
}

TEST(Atlas, RowsAndColumnsCanBeGiven) {
  const AtlasPlan own = atlas_plan({.quick = true,
                                    .sources = {"block:d=4,k=2,m=1,width=4", "parity:d=6,m=2"},
                                    .learners = {Spec{"compose", {}}, Spec{"network-newton", {}}},
                                    .seed = 7});
  ASSERT_EQ(own.series.size(), 2U);
  EXPECT_EQ(own.series[0][0].name(), "block:d=4,k=2,m=1,width=4");
  ASSERT_EQ(own.shot.plan.learners.size(), 2U);
  EXPECT_EQ(own.shot.plan.learners[0].name(), "network-newton") << "learners by examples come first";
  EXPECT_EQ(own.shot.plan.seed, 7U);
  EXPECT_THROW(atlas_plan({.sources = {"blok:d=4"}}), InputError);
  EXPECT_GT(atlas_plan({}).series.size(), 5U);
}

TEST(Atlas, GoesOnFromItsJournal) {
  const ScratchFolder folder;
  AtlasPlan plan = small_plan();
  plan.shot.plan.execution.journal = folder.path("journal.jsonl");
  const std::string first = to_json(draw_atlas(plan, {})).dump(), journal = folder.read("journal.jsonl");
  EXPECT_EQ(to_json(draw_atlas(plan, {})).dump(), first);
  EXPECT_EQ(folder.read("journal.jsonl"), journal);
}

TEST(Atlas, IsWrittenAsAPageAPictureATableAndADocument) {
  const ScratchFolder folder;
  draw_into(folder.path(), small_plan(), "hardhead atlas --out here", {});
  const auto document = nlohmann::json::parse(folder.read("atlas.json"));
  EXPECT_EQ(document.at("cells").size(), 20);
  EXPECT_EQ(document.at("cells")[0].at("degree"), "recovered");
  const std::string page = folder.read("atlas.html");
  EXPECT_THAT(page, HasSubstr("hardhead atlas --out here"));
  EXPECT_THAT(page, HasSubstr("<td class=\"cell recovered\">"));
  EXPECT_THAT(page, HasSubstr("hardhead best nice:d=6,k=2,m=1 --method phase1"));
  EXPECT_THAT(folder.read("atlas.svg"), HasSubstr("recovered 2 of 2"));
  EXPECT_THAT(folder.read("atlas.csv"), HasSubstr("\"parity:d=6,m=2\",flip,queries,gadget,recovered,2,2"));
}

}  // namespace
}  // namespace hardhead::study
