#include <fmt/format.h>

#include "base/error.h"
#include "learner/rational/heads.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

using rational::Heads;
using rational::Rows;

enum class Arithmetic { real, exact };

// In double: the numbers of copies grow by a third from one to the next.
constexpr std::size_t most_in_double = 12;

struct RationalOptions {
  Arithmetic arithmetic = Arithmetic::exact;
  Index most_heads = 10;
};

constexpr auto enum_names(Arithmetic) {
  return std::to_array<EnumName<Arithmetic>>({{Arithmetic::exact, "exact"}, {Arithmetic::real, "double"}});
}

/// Theta_i = (ln B / 2) n_i.
ExactLayer layer_of(const Heads<rational::Exact>& found, Index d, std::int64_t base) {
  ExactLayer out{d, base, {}};
  for (std::size_t i = 0; i < found.n.size(); ++i) {
    ExactLayer::Head head;
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < d; ++b) {
        const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
        if (found.n[i][row][column] != 0) head.theta.push_back({a, b, found.n[i][row][column]});
        if (found.w[i][row][column] != 0) head.w.push_back({a, b, found.w[i][row][column]});
      }
    out.heads.push_back(std::move(head));
  }
  return out;
}

/// Theta_i = n_i / 2.
Layer layer_of(const Heads<rational::Double>& found, Index d) {
  Layer out{d, {}};
  for (std::size_t i = 0; i < found.n.size(); ++i) {
    Head head{Matrix(d, d), Matrix(d, d)};
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < d; ++b) {
        const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
        head.theta(a, b) = found.n[i][row][column] / 2;
        head.w(a, b) = found.w[i][row][column];
      }
    out.heads.push_back(std::move(head));
  }
  return out;
}

void learn(const RationalOptions& options, const ValueRun& run) {
  const auto most = static_cast<std::size_t>(run.task.heads.value_or(options.most_heads));
  if (options.arithmetic == Arithmetic::real && most > most_in_double)
    throw InputError(
        fmt::format("rational: {} poles in double are too many: at most {} can be looked for, and 5 "
                    "or 6 found",
                    most, most_in_double));
  const Stream stream(Domain::learner, run.task.seed, "rational");
  Report& report = run.recorder.report();
  if (options.arithmetic == Arithmetic::exact) {
    const rational::Exact field{*run.exact};
    const auto found = run.recorder.phase("poles", [&](Phase&) {
      return rational::HeadFinder<rational::Exact>(field, most, stream, run.context.stop).find();
    });
    report.exact = layer_of(found, field.d(), run.exact->base());
    report.layer = report.exact->rounded();
  } else {
    const rational::Double field{*run.values};
    const auto found = run.recorder.phase("poles", [&](Phase&) {
      return rational::HeadFinder<rational::Double>(field, most, stream, run.context.stop).find();
    });
    report.layer = layer_of(found, field.d());
  }
  report.message = fmt::format("{} poles were found and joined.", report.layer->m());
}

// Its memory is not predicted: nothing is known before of how long exact rationals become, and of what
// answers at thousands of copies take.
class ByPoles final : public ValueAlgorithm {
 public:
  explicit ByPoles(RationalOptions options) : options_(options) {}

  Needs needs() const override { return {.exact = options_.arithmetic == Arithmetic::exact}; }
  void run(const ValueRun& run) const override { learn(options_, run); }

 private:
  RationalOptions options_;
};

}  // namespace

// J. Kim, H. Kim and Y. Guo, arXiv 2608.03294: the heads are the poles of a rational function of the number
// of copies. How columns are joined, and the exact arithmetic, are ours.
const Method rational_method = method_of<ByPoles>(
    "rational",
    "m heads from one token and n copies of another: a rational function of n whose poles are the heads",
    "exact in exact arithmetic for every m, if rows of the W_i differ and, where poles meet, are "
    "independent: about 2 m d^2 queries; in double worn out by m = 5 or 6 (Kim, Kim and Guo, "
    "arXiv 2608.03294)",
    OptionTable<RationalOptions>()
        .choice("arithmetic", &RationalOptions::arithmetic,
                "exact: rationals, for layers built from powers of an integer")
        .integer("most_heads", &RationalOptions::most_heads, 1, 64,
                 "poles that are looked for, unless --heads says m"));

}  // namespace hardhead::learner
