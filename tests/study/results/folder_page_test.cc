#include "study/results/folder_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "base/error.h"
#include "study/figure/figure.h"
#include "study/report/finding.h"
#include "study/results/sweep_figures.h"
#include "study/results/sweep_folder.h"
#include "study/sweep/journal.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A run as a sweep writes it.
RunResult run(const std::string& spec, const std::string& method, std::int64_t examples, double error) {
  RunResult out;
  out.problem.source = spec;
  out.problem.spec = spec;
  out.request.method = Spec::parse(method);
  out.request.task.examples = examples;
  out.score.outcome = error < 1e-10 ? Outcome::recovered : Outcome::not_recovered;
  out.report.failed_phase = error < 1e-10 ? "" : "hull";
  out.score.test_error = error;
  out.problem.null_error = 0.44;
  out.score.advantage = 1 - error / 0.44;
  out.score.degree = error < 1e-10 ? Degree::recovered : Degree::partly;
  out.report.seconds = 0.5;
  out.version = "0.1.0";
  return out;
}

/// Two sizes by two methods by three seeds.
std::vector<RunResult> small_sweep() {
  std::vector<RunResult> out;
  for (const char* d : {"8", "12"})
    for (const char* method : {"gauss-newton", "adam"})
      for (const char* seed : {"1", "2", "3"})
        out.push_back(run("nice:d=" + std::string(d) + ",m=2,seed=" + seed, method, 1000,
                          std::string(method) == "adam" ? 0.3 : 1e-30));
  return out;
}

void write_journal(const ScratchFolder& folder, const std::vector<RunResult>& runs) {
  Journal journal(folder.path("journal.jsonl"));
  for (std::size_t i = 0; i < runs.size(); ++i) journal.append("run " + std::to_string(i), runs[i]);
}

report::Finding finding(const std::string& id, report::Verdict verdict) {
  return {.id = id,
          .title = "Title of " + id,
          .claim = "<script>alert(1)</script> & \"so\"",
          .source = "Theorem 1",
          .method = "m",
          .criterion = "c",
          .verdict = verdict,
          .reason = "r",
          .figures = {"f/one", "f/two"},
          .table = "f/table.csv",
          .setting = "quick",
          .command = "hardhead reproduce",
          .seconds = 1,
          .version = "0.1.0"};
}

/// A reproduction with two findings that share their files.
struct Reproduction : ScratchFolder {
  Reproduction() {
    std::filesystem::create_directory(path("f"));
    for (const char* name : {"one", "two"})
      report::draw({.name = name, .title = name, .x = {"x"}, .y = {"y"}, .curves = {{"c", {{1, 1}, {2, 3}}}}},
                   path("f"));
    write("f/table.csv", "spec,error\nnice,0.5\n\"<b>\",0.25\n");
    report::write_verdicts(
        {finding("R2", report::Verdict::does_not_hold), finding("R1", report::Verdict::holds)}, path());
  }
  std::string page() const { return folder_page(path(), path()).html; }
  std::string refusal() const {
    try {
      page();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(FolderPage, ShowsEveryFindingWithItsVerdictFiguresAndTable) {
  const Reproduction folder;
  const std::string page = folder.page();
  for (const char* part :
       {"id=\"R1\"", "href=\"#R2\"", "R1: Title of R1", "holds</span>", "does not hold</span>", "Theorem 1",
        "href=\"f/one.svg\"", "href=\"f/two.pdf\"", "href=\"f/table.csv\"", "<td class=\"number\">0.25</td>"})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_LT(page.find("id=\"R1\""), page.find("id=\"R2\""));
  EXPECT_EQ(folder_page(folder.path(), folder.path()).figures.size(), 4u);
  EXPECT_EQ(folder.page(), page) << "the same folder gives the same page";
}

TEST(FolderPage, ShowsTheLawsOfAFindingBesideIt) {
  const Reproduction folder;
  folder.write("f/fits.csv", "law,b\nm^b,2.5\n");
  report::Finding with_laws = finding("R1", report::Verdict::holds);
  with_laws.fits = "f/fits.csv";
  report::write_verdicts({with_laws, finding("R2", report::Verdict::holds)}, folder.path());
  const std::string page = folder.page();
  EXPECT_TRUE(has(page, "href=\"f/fits.csv\""));
  EXPECT_LT(page.find("id=\"R1\""), page.find("id=\"R1-laws\""));
  EXPECT_LT(page.find("id=\"R1-laws\""), page.find("id=\"R2\""));
  EXPECT_TRUE(has(page, "2 claims tested: 2 hold"));
}

TEST(FolderPage, EscapesWhatTheFilesSay) {
  const std::string page = Reproduction().page();
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;so&quot;"));
  EXPECT_TRUE(has(page, "<td class=\"short\">&lt;b&gt;</td>"));
}

TEST(FolderPage, GivesEveryElementANameOfItsOwn) {
  const std::string page = Reproduction().page();
  const std::regex id(R"(\sid=["']([^"']*))"), use(R"(href=["']#([^"']*))");
  std::set<std::string> ids;
  for (std::sregex_iterator at(page.begin(), page.end(), id), end; at != end; ++at)
    EXPECT_TRUE(ids.insert((*at)[1]).second) << (*at)[1] << " comes twice";
  EXPECT_GT(ids.size(), 60u);
  for (std::sregex_iterator at(page.begin(), page.end(), use), end; at != end; ++at)
    EXPECT_TRUE(ids.contains((*at)[1])) << (*at)[1] << " is not there";
}

TEST(FolderPage, RefusesFiguresThatGnuplotWouldNotWrite) {
  const Reproduction folder;
  const std::string good = folder.read("f/one.svg");
  const auto refused = [&](const std::string& inside) {
    folder.write("f/one.svg", "<svg>" + inside + "</svg>");
    return folder.refusal();
  };
  EXPECT_EQ(refused("<g><path d='M0,0'/></g>"), "");
  for (const char* inside : {"<script>alert(1)</script>", "<foreignObject/>", "<meta http-equiv='refresh'/>",
                             "<!-- -->", "<image/>", "<SCRIPT/>", "<a/>", "</div>"})
    EXPECT_THAT(refused(inside), HasSubstr("which gnuplot does not write")) << inside;
  EXPECT_THAT(refused("<use href='http://x/'/>"), HasSubstr("one.svg': a link out of it"));
  EXPECT_EQ(refused("<use href = '#a'/><g id=\"a\"/>"), "");
  for (const char* text : {"", "nothing", "<svg>", "<svg></svg><p>", "<svg></svg></svg>"}) {
    folder.write("f/one.svg", text);
    EXPECT_THAT(folder.refusal(), HasSubstr("one.svg': this is not an SVG")) << text;
  }
  folder.write("f/one.svg", good);
  EXPECT_EQ(folder.refusal(), "");
  folder.write("f/table.csv", "a,b\n1\n");
  EXPECT_THAT(folder.refusal(), HasSubstr("table.csv', line 2: 1 cells where the head has 2"));
}

TEST(FolderPage, AFolderWithoutResultsIsRefused) {
  const ScratchFolder folder;
  EXPECT_THROW(folder_page(folder.path(), folder.path()), InputError);
  EXPECT_THROW(folder_page(folder.path("missing"), folder.path()), InputError);
  folder.write("journal.jsonl", "{}\n");
  EXPECT_THROW(folder_page(folder.path(), folder.path()), InputError);
}

TEST(FolderPage, AnAtlasHasItsOwnAndIsLeftAlone) {
  const ScratchFolder folder;
  folder.write("journal.jsonl", "");
  folder.write("atlas.json", "{}");
  EXPECT_THAT(refusal_of([&] { folder_page(folder.path(), folder.path()); }),
              HasSubstr("the folder of an atlas, whose page is atlas.html"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("report.csv")));
}

TEST(FolderPage, OfASweepHasARowForEachPointAndAFigureForEachNumber) {
  const ScratchFolder folder;
  write_journal(folder, small_sweep());
  write_sweep_record({.command = "hardhead sweep s.toml --out o", .file = "seeds = 3 # <all>", .runs = 20},
                     folder.path());
  const FolderPage made = folder_page(folder.path(), folder.path());
  EXPECT_EQ(made.kind, FolderPage::Kind::sweep);
  EXPECT_THAT(made.figures,
              ElementsAre("figures/recovered-d", "figures/learnt-d", "figures/error-d", "figures/seconds-d"));
  for (const std::string& figure : made.figures)
    for (const char* ending : {".svg", ".pdf"})
      EXPECT_TRUE(std::filesystem::exists(folder.path(figure + ending)));
  for (const char* part :
       {"12 runs, all that are in the journal", "hardhead sweep s.toml --out o", "seeds = 3 # &lt;all&gt;",
        "nice:d=12,m=2,seed=1", "3 in hull", "<span class=\"recovered\">recovered 3</span> of 3",
        "<span class=\"partly\">partly 3</span> of 3"})
    EXPECT_TRUE(has(made.html, part)) << part;
  EXPECT_EQ(report::parse_csv(folder.read("report.csv"), "report.csv").rows.size(), 4u);
}

TEST(FolderPage, OfASweepUnderWayTakesTheRunsThatAreThere) {
  const ScratchFolder folder;
  write_journal(folder, small_sweep());
  const Journal held(folder.path("journal.jsonl"));
  folder.write("journal.jsonl", folder.read("journal.jsonl") + R"({"run": "torn)");
  EXPECT_TRUE(has(folder_page(folder.path(), folder.path()).html, "12 runs, all"));
  EXPECT_TRUE(has(folder.read("journal.jsonl"), "torn")) << "the journal is left as it is";
  folder.write("journal.jsonl", R"({"run": "torn)");
  EXPECT_TRUE(has(folder_page(folder.path(), folder.path()).html, "0 runs, all"));
}

TEST(FolderPage, LinksStartWhereThePageLies) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path("a #1"));
  Journal(folder.path("a #1/journal.jsonl")).append("one", small_sweep()[0]);
  EXPECT_TRUE(has(folder_page(folder.path("a #1"), folder.path()).html, "href=\"a%20%231/report.csv\""));
}

TEST(SweepFigures, HaveACurveForEachChoiceOfAllElse) {
  const std::vector<report::Figure> figures = sweep_figures(rows_of(small_sweep()));
  ASSERT_EQ(figures.size(), 4u);
  const report::Figure &share = figures[0], &error = figures[2];
  ASSERT_EQ(share.curves.size(), 2u);
  EXPECT_EQ(share.curves[0].label, "gauss-newton");
  ASSERT_EQ(share.curves[0].points.size(), 2u);
  EXPECT_EQ(share.curves[0].points[1].x, 12);
  EXPECT_EQ(share.curves[0].points[1].y, 1);
  EXPECT_NEAR(share.curves[0].points[1].interval->low, 0.292, 1e-3);
  ASSERT_EQ(error.curves.size(), 3u);
  EXPECT_EQ(error.curves[1].points[0].y, 0.3);
  EXPECT_EQ(error.curves[2].label, "null error");
  EXPECT_EQ(error.curves[2].style, report::FigureCurve::Style::line);
  EXPECT_TRUE(error.y.log);
}

TEST(SweepFigures, OfWhatWasAskedHaveMediansAndExtremes) {
  std::vector<RunResult> runs;
  for (const int used : {100, 300, 200}) {
    runs.push_back(run("nice:d=8,m=1", "adam", 1000, 0.5));
    runs.back().report.examples_used = used;
  }
  runs.push_back(run("nice:d=8,m=2", "mobius", 1000, 0.5));
  runs.back().request.method = Spec{"mobius", {}};
  runs.back().report.queries_used = 7;
  const std::vector<report::Figure> figures = asked_figures(rows_of(runs));
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].name, "examples-m");
  const report::FigurePoint& adam = figures[0].curves[0].points[0];
  EXPECT_EQ(adam.y, 200);
  EXPECT_EQ(adam.interval->low, 100);
  EXPECT_EQ(adam.interval->high, 300);
  EXPECT_EQ(figures[0].curves[1].points[0].y, 7);
}

TEST(SweepFigures, TellHeadsOfTheFamilyFromHeadsToldToTheLearner) {
  std::vector<RunResult> runs;
  for (const char* heads : {"exact", "padded"})
    for (const attention::Index told : {2, 4})
      for (const int n : {3, 4}) {
        runs.push_back(run(fmt::format("lwr:n={},heads={},seed=1", n, heads), "adam", 100, 0.5));
        runs.back().request.task.heads = told;
      }
  std::set<std::string> labels;
  const std::vector<report::Figure> figures = sweep_figures(rows_of(runs));
  for (const report::FigureCurve& curve : figures.front().curves) labels.insert(curve.label);
  EXPECT_THAT(labels, ElementsAre("heads=exact, heads told=2", "heads=exact, heads told=4",
                                  "heads=padded, heads told=2", "heads=padded, heads told=4"));
}

TEST(SweepFigures, NoCurveIsDropped) {
  std::vector<RunResult> runs;
  for (int m = 1; m <= 20; ++m)
    for (const int examples : {100, 1000})
      runs.push_back(run("nice:d=8,m=" + std::to_string(m), "adam", examples, 0.5));
  std::set<std::string> names, labels;
  for (const report::Figure& figure : sweep_figures(rows_of(runs))) {
    EXPECT_TRUE(names.insert(figure.name).second);
    EXPECT_LE(figure.curves.size() + figure.levels.size(), most_curves) << figure.name;
    if (figure.name.starts_with("seconds-examples"))
      for (const report::FigureCurve& curve : figure.curves) labels.insert(curve.label);
  }
  EXPECT_EQ(labels.size(), 20u);
  EXPECT_TRUE(names.contains("seconds-examples-3"));
  EXPECT_TRUE(names.contains("error-examples-5")) << "null errors take half";
  EXPECT_TRUE(names.contains("recovered-m"));
}

TEST(GrowthTable, NamesTheLawThatMadeTheSeconds) {
  std::vector<RunResult> runs;
  for (const int m : {1, 2, 3, 4, 5})
    for (const double noise : {0.99, 1.0, 1.01}) {
      runs.push_back(run(fmt::format("nice:d=8,m={}", m), "adam", 100, 0.5));
      runs.back().report.seconds = noise * std::pow(3.0, m);
      runs.back().report.examples_used = 100 * m * m;
    }
  const report::Table table = growth_table(rows_of(runs));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0], "seconds");
  EXPECT_EQ(table.rows[0].back(), "the exponential");
  EXPECT_NEAR(std::stod(table.rows[0][5]), std::log(3.0), 0.02);
  EXPECT_EQ(table.rows[1][0], "examples used");
  EXPECT_EQ(table.rows[1].back(), "the power law");
  EXPECT_EQ(table.rows[1][3], "2");
}

TEST(GrowthTable, LeavesOutTwoPointsWhichFitAnyLaw) {
  EXPECT_TRUE(growth_table(rows_of(small_sweep())).rows.empty());
}

}  // namespace
}  // namespace hardhead::study
