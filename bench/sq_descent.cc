// Gradient descent through STAT(tau), as markdown tables: advantage over the null predictor against steps on
// parity:d=8,m=4,variant=minimal (four heads) and on a nice layer of four heads, with an honest and an
// adversarial oracle side by side (experiments/sq_descent.h). Every coordinate of every gradient is one
// query, answered in exact arithmetic over all 2^16 inputs.
//
// Arguments: steps (default 500), heads of the student (default 4).
#include <fmt/format.h>

#include "bench/study_program.h"
#include "experiments/sq_descent.h"

namespace {

using namespace hardhead;

constexpr const char* targets[] = {"parity:d=8,m=4,variant=minimal", "nice:d=8,k=2,m=4"};
const Rational tolerances[] = {Rational(1, 5), Rational(1, 20), Rational(1, 100), Rational(1, 1000)};

void print_row(const experiments::DescentOptions& options, const experiments::Descent& descent) {
  fmt::print("| `{}` | {} | {} |", options.target, to_string(options.tau),
             options.adversarial ? "adversarial" : "honest");
  for (const int part : {0, 10, 50, 100, 200, 500}) {
    const auto at = static_cast<std::size_t>(part * options.steps / 500);
    fmt::print(" {:.3g} |", descent.points[at].advantage);
  }
  const experiments::DescentPoint& last = descent.points.back();
  fmt::print(" {} | {} | {} | {} of {} |\n", last.members_left,
             descent.first_gave_in < 0 ? std::string("never") : fmt::format("step {}", descent.first_gave_in),
             last.gave_in, descent.violations, descent.queries);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_study([&](const RunContext& context) {
    experiments::DescentOptions options;
    options.steps = bench::integer_argument(argc, argv, 1, 500, 1, 100'000);
    options.heads = bench::integer_argument(argc, argv, 2, 4, 1, 64);
    fmt::print("| target | tau | policy |");
    for (const int part : {0, 10, 50, 100, 200, 500})
      fmt::print(" advantage at {} |", part * options.steps / 500);
    fmt::print(
        " members left | gave in first | gave in, answers | broken answers "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const char* target : targets) {
      options.target = target;
      options.adversarial = false;  // exact answers are the same at any tolerance
      print_row(options, experiments::descend(options, context));
      options.adversarial = true;
      for (const Rational& tau : tolerances) {
        options.tau = tau;
        print_row(options, experiments::descend(options, context));
      }
    }
  });
}
