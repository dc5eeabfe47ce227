// The routes of phases 1 to 4 side by side, on the same examples and the same kept rows: medians over seeds
// of the relative error of W_sum and of the largest relative distance of a true Theta_i to the hull. Prints
// one markdown table. Arguments: seeds a row (default 10), 0 to leave out the linear programmes (default 1).
// About a quarter of an hour at the defaults.
#include <fmt/format.h>

#include <map>

#include "attention/samples/sample_source.h"
#include "bench/study_program.h"
#include "hardness/families/family.h"
#include "learner/certificate/harvest.h"
#include "learner/objective/ridge_solve.h"
#include "learner/phases/hull.h"
#include "learner/phases/margins.h"
#include "learner/phases/polytope.h"
#include "learner/phases/w_sum.h"
#include "statistics/median.h"
#include "study/run/estimate_error.h"
#include "study/sweep/compare.h"

namespace {

using namespace hardhead;
using attention::Index;
using attention::Matrix;
using learner::Harvest;

struct Case {
  int d, m, k;
  double norm;
};

// Phase 3 without margins: over certified rows, the regression of y_r on the common mean token X^T p.
Matrix regression(const Harvest& found) {
  const Index d = found.examples.d(), k = found.examples.k, n = found.examples.count;
  Matrix x = Matrix::Zero(n, d), y(n, d);
  for (Index e = 0; e < n; ++e) {
    for (Index a = 0; a < k; ++a)
      x.row(e) += found.patterns(a, e) * found.examples.x.col(found.examples.column(a, e)).transpose();
    const Index row = found.rows[static_cast<std::size_t>(e)].row;
    y.row(e) = found.examples.y.col(found.examples.column(row, e)).transpose();
  }
  return learner::ridge_solve(x.transpose() * x, x.transpose() * y);
}

class Trial {
 public:
  Trial(const Case& c, int seed, const RunContext& context)
      : context_(context),
        instance_(hardness::make_instance(Spec::parse(
            fmt::format("nice:d={},m={},k={},theta_norm={},seed={}", c.d, c.m, c.k, c.norm, seed)))),
        source_(instance_.teacher, c.d, c.k, attention::Inputs::boolean,
                Stream(Domain::samples, static_cast<std::uint64_t>(seed), instance_.digest)),
        hull_options_{.heads = c.m} {}

  void run(bool linear_programmes, std::map<std::string, std::vector<double>>& out) const {
    constexpr std::int64_t crude_examples = 50'000;
    const Matrix gradient = learner::gradient_step_w_sum(source_, crude_examples, context_).estimate;
    const Matrix crude = learner::estimate_w_sum(source_, crude_examples, context_).estimate;
    out["gradient step"].push_back(error(gradient));
    out["least squares"].push_back(error(crude));
    const Harvest rows = harvested(crude);
    const learner::AffineHull hull = learner::estimate_hull(rows, hull_options_, context_).hull;
    out["spectral"].push_back(distance(hull));
    if (linear_programmes) out["polytope"].push_back(distance(polytope(rows)));

    const auto by_margin = [&](double kept, int rounds) {
      const learner::MarginOptions options{.share = share, .kept_fraction = kept, .rounds = rounds};
      return learner::refine_w_sum({source_, 0, examples}, hull.offset, crude, options, context_, "margins")
          .estimate;
    };
    const Matrix trimmed = by_margin(0.25, 10);
    out["margin"].push_back(error(by_margin(1, 1)));
    out["margin, filter"].push_back(error(by_margin(0.25, 1)));
    out["margin, trimmed"].push_back(error(trimmed));
    out["regression"].push_back(error(regression(rows)));

    const Harvest again = harvested(trimmed);
    out["spectral again"].push_back(distance(learner::estimate_hull(again, hull_options_, context_).hull));
    if (linear_programmes) out["polytope again"].push_back(distance(polytope(again)));
  }

 private:
  static constexpr std::int64_t examples = 400'000;
  static constexpr double share = 0.003;

  Harvest harvested(const Matrix& w_sum) const {
    const Index d = source_.d(), k = source_.k();
    const std::int64_t keep = 3 * learner::fewest_rows(d, k);  // as many as the paper's route keeps
    return learner::harvest({source_, 0, examples}, w_sum, {.keep = keep}, context_, "harvest");
  }
  learner::AffineHull polytope(const Harvest& rows) const {
    return learner::polytope_hull(rows, hull_options_, {}, context_).hull;
  }
  double error(const Matrix& w_sum) const { return *study::w_sum_error(instance_.layer, w_sum); }
  double distance(const learner::AffineHull& hull) const {
    return study::hull_distance(instance_.layer, hull)->largest;
  }

  const RunContext& context_;
  hardness::Instance instance_;
  attention::SimulatedSource source_;
  learner::HullOptions hull_options_;
};

void table(int seeds, bool linear_programmes, const RunContext& context) {
  const std::vector<std::string> columns = {
      "gradient step",  "least squares",   "spectral",   "polytope",       "margin",
      "margin, filter", "margin, trimmed", "regression", "spectral again", "polytope again"};
  fmt::print("| d, m, k, norm of Theta |");
  for (const std::string& column : columns) fmt::print(" {} |", column);
  fmt::print("\n|---|");
  for (std::size_t c = 0; c < columns.size(); ++c) fmt::print("---|");
  fmt::print("\n");
  for (const Case& c :
       {Case{12, 2, 2, 2}, {16, 2, 2, 2}, {16, 2, 2, 5}, {16, 3, 2, 2}, {16, 2, 3, 2}, {16, 2, 3, 4}}) {
    std::map<std::string, std::vector<double>> values;
    for (int seed = 1; seed <= seeds; ++seed) {
      context.progress.report(
          fmt::format("d = {}, m = {}, k = {}, norm {}: seed {}", c.d, c.m, c.k, c.norm, seed),
          static_cast<double>(seed - 1) / seeds);
      Trial(c, seed, context).run(linear_programmes, values);
    }
    fmt::print("| {}, {}, {}, {} |", c.d, c.m, c.k, c.norm);
    for (const std::string& column : columns)
      fmt::print(" {} |",
                 values.contains(column) ? fmt::format("{:.2g}", statistics::median(values[column])) : "-");
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    const auto seeds = static_cast<int>(bench::integer_argument(argc, argv, 1, 10, 1, 1000));
    table(seeds, bench::integer_argument(argc, argv, 2, 1, 0, 1) != 0, context);
  });
}
