#include "hardness/niceness/niceness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/layer/network.h"
#include "base/numeric/decompositions.h"
#include "base/run/parallel.h"
#include "hardness/niceness/arithmetic_distance.h"

namespace hardhead::hardness {
namespace {

using attention::Index;
using attention::Layer;
using attention::Matrix;

/// A kind of condition: value <= c * unit, or value >= c * unit.
struct Kind {
  const char* name;
  double NicenessConstants::* constant;  // c
  bool at_least;
  const char* formula;
  bool counts = true;
};

constexpr Kind theta_incoherence{"theta_incoherence", &NicenessConstants::theta_incoherence, false,
                                 "|<Theta_i,Theta_j>| / (||Theta_i|| ||Theta_j||) <= c / (m log d)"};
constexpr Kind theta_stable_rank{"theta_stable_rank", &NicenessConstants::theta_stable_rank, true,
                                 "||Theta||^2 / |Theta|^2 >= c m k log d"};
constexpr Kind theta_diagonal{"theta_diagonal", &NicenessConstants::theta_diagonal, false,
                              "Tr(Theta)^2 / ||Theta||^2 <= c"};
constexpr Kind theta_column{"theta_column", &NicenessConstants::theta_column, false,
                            "max_j ||Theta_:j||^2 / ||Theta||^2 <= c / log d"};
constexpr Kind theta_non_arithmetic{
    "theta_non_arithmetic", &NicenessConstants::theta_non_arithmetic, true,
    "least over s, o of RMS(Theta_ab - nearest of sZ+o) / min(s/sqrt 12, RMS(Theta_ab)) >= c / 2"};
constexpr Kind theta_norm_ratio{"theta_norm_ratio", &NicenessConstants::theta_norm_ratio, false,
                                "max_j ||Theta_j|| / ||Theta_i|| <= 2 c"};
constexpr Kind theta_norm{"theta_norm", &NicenessConstants::theta_norm, false, "||Theta||^2 <= c (log d)^2"};
constexpr Kind w_incoherence{"w_incoherence", &NicenessConstants::w_incoherence, false,
                             "|<W_i,W_j>| / (||W_i|| ||W_j||) <= c / 2"};
constexpr Kind w_stable_rank{"w_stable_rank", &NicenessConstants::w_stable_rank, true,
                             "||W||^2 / |W|^2 >= c m k log d"};
constexpr Kind w_norm_ratio{
    "w_norm_ratio", &NicenessConstants::w_norm_ratio, false,
    "log_r(max_j ||W_j|| / ||W_i||) <= c, r the least stable rank of a W, at least 2"};
constexpr Kind injectivity{"injectivity", &NicenessConstants::injectivity, false,
                           "m (k - 1) <= c d (the learner's own; not counted)", false};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr const char* no_pair = "there is one head";
constexpr const char* no_direction = "a zero matrix has no direction";
constexpr const char* no_tokens = "the number of tokens is not known";

/// A matrix A as largest * unit, so that no square overflows.
struct Scaled {
  explicit Scaled(const Matrix& a) : largest(a.cwiseAbs().maxCoeff()) {
    if (zero()) return;
    unit = a / largest;
    unit_norm = unit.norm();
  }
  bool zero() const { return largest == 0; }
  double norm() const { return largest * unit_norm; }

  double largest;
  double unit_norm = 0;
  Matrix unit{};
};

/// What a condition is about: its name for readers, and the heads in it.
struct ConditionSubject {
  std::string name;
  std::vector<Index> heads;
};

const ConditionSubject all_heads{"layer", {}};

/// Scaled matrices of one kind, "theta" or "w".
struct Heads {
  Heads(const Layer& layer, std::string kind, Matrix attention::Head::* matrix) : name(std::move(kind)) {
    for (const attention::Head& head : layer.heads) {
      all.emplace_back(head.*matrix);
      largest_norm = std::max(largest_norm, all.back().norm());
    }
  }
  ConditionSubject subject(std::size_t i) const {
    return {fmt::format("{} {}", name, i), {static_cast<Index>(i)}};
  }
  ConditionSubject subject(std::size_t i, std::size_t j) const {
    return {fmt::format("{0} {1}, {0} {2}", name, i, j), {static_cast<Index>(i), static_cast<Index>(j)}};
  }

  std::string name;
  std::vector<Scaled> all;
  double largest_norm = 0;
};

double cosine(const Scaled& a, const Scaled& b) {
  return a.unit.cwiseProduct(b.unit).sum() / (a.unit_norm * b.unit_norm);
}

/// Takes the last condition into the one before it, if that is of the same name: the worse of the two stays.
void keep_the_worse_of_last_two(std::vector<Condition>& conditions) {
  if (conditions.size() < 2 || conditions.end()[-2].name != conditions.back().name) return;
  Condition last = std::move(conditions.back());
  conditions.pop_back();
  Condition& worst = conditions.back();
  if (last.status == ConditionStatus::not_applicable) return;
  if (worst.status == ConditionStatus::not_applicable ||
      (last.at_least ? last.constant_at_flip < worst.constant_at_flip
                     : last.constant_at_flip > worst.constant_at_flip))
    worst = std::move(last);
}

class Certifier {
 public:
  Certifier(const Layer& layer, std::optional<Index> k, const NicenessConstants& constants, bool worst_only,
            const StopToken& stop)
      : constants_(constants),
        stop_(stop),
        worst_only_(worst_only),
        theta_(layer, "theta", &attention::Head::theta),
        w_(layer, "w", &attention::Head::w),
        log_d_(std::max(1.0, std::log(static_cast<double>(layer.d)))),
        m_(static_cast<double>(layer.m())),
        out_{layer.d, layer.m(), k, {}, layer.network ? layer.network->width() : 0} {
    // the least stable rank asked for, without its constant; NaN without k
    rank_unit_ = k ? m_ * static_cast<double>(*k) * log_d_ : nan;
  }

  Certificate all() {
    const std::vector<double> theta_ranks = stable_ranks(theta_), w_ranks = stable_ranks(w_);
    pairs(theta_incoherence, theta_, 1 / (m_ * log_d_));
    ranks(theta_stable_rank, theta_, theta_ranks);
    each(theta_diagonal, 1, [](const Scaled& a) { return std::pow(a.unit.trace() / a.unit_norm, 2); });
    each(theta_column, 1 / log_d_, [](const Scaled& a) {
      return a.unit.colwise().squaredNorm().maxCoeff() / std::pow(a.unit_norm, 2);
    });
    arithmetic();
    norm_ratios(theta_norm_ratio, theta_, 2, [](double ratio) { return ratio; });
    for (std::size_t i = 0; i < theta_.all.size(); ++i)
      add(theta_norm, theta_.subject(i), std::pow(theta_.all[i].norm(), 2), log_d_ * log_d_);
    pairs(w_incoherence, w_, 0.5);
    ranks(w_stable_rank, w_, w_ranks);
    const double r = std::max(2.0, *std::min_element(w_ranks.begin(), w_ranks.end()));
    norm_ratios(w_norm_ratio, w_, 1, [r](double ratio) { return std::log(ratio) / std::log(r); });
    if (out_.k)
      add(injectivity, all_heads, m_ * static_cast<double>(*out_.k - 1), static_cast<double>(out_.d));
    else
      skip(injectivity, all_heads, no_tokens);
    if (worst_only_) keep_the_worse_of_last_two(out_.conditions);
    return std::move(out_);
  }

 private:
  Condition& row(const Kind& kind, ConditionSubject subject) {
    if (worst_only_) keep_the_worse_of_last_two(out_.conditions);
    Condition& row = out_.conditions.emplace_back();
    row.name = kind.name;
    row.subject = std::move(subject.name);
    row.heads = std::move(subject.heads);
    row.at_least = kind.at_least;
    row.counts = kind.counts;
    row.formula = kind.formula;
    row.value = row.threshold = row.constant_at_flip = nan;
    row.constant = constants_.*kind.constant;
    return row;
  }

  void add(const Kind& kind, ConditionSubject subject, double value, double unit) {
    Condition& row = this->row(kind, std::move(subject));
    row.value = value;
    row.threshold = row.constant * unit;
    row.constant_at_flip = value / unit;
    const bool holds =
        kind.at_least ? row.constant_at_flip >= row.constant : row.constant_at_flip <= row.constant;
    row.status = holds ? ConditionStatus::pass : ConditionStatus::fail;
  }

  void skip(const Kind& kind, ConditionSubject subject, const char* reason) {
    row(kind, std::move(subject)).reason = reason;
  }

  void pairs(const Kind& kind, const Heads& heads, double unit) {
    if (heads.all.size() == 1) return skip(kind, heads.subject(0), no_pair);
    for (std::size_t i = 0; i < heads.all.size(); ++i)
      for (std::size_t j = i + 1; j < heads.all.size(); ++j) {
        stop_.check();
        if (heads.all[i].zero() || heads.all[j].zero())
          skip(kind, heads.subject(i, j), no_direction);
        else
          add(kind, heads.subject(i, j), std::abs(cosine(heads.all[i], heads.all[j])), unit);
      }
  }

  /// A measure of every Theta that a zero matrix does not have.
  template <class Measure>
  void each(const Kind& kind, double unit, const Measure& measure) {
    for (std::size_t i = 0; i < theta_.all.size(); ++i)
      if (theta_.all[i].zero())
        skip(kind, theta_.subject(i), no_direction);
      else
        add(kind, theta_.subject(i), measure(theta_.all[i]), unit);
  }

  std::vector<double> stable_ranks(const Heads& heads) const {
    std::vector<double> out(heads.all.size());
    parallel_for_each_index(static_cast<std::int64_t>(out.size()), [&](std::int64_t i) {
      stop_.check();
      const auto at = static_cast<std::size_t>(i);
      out[at] = heads.all[at].zero() ? 0 : stable_rank(heads.all[at].unit);
    });
    return out;
  }

  void ranks(const Kind& kind, const Heads& heads, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (out_.k) {
        add(kind, heads.subject(i), values[i], rank_unit_);
      } else {
        skip(kind, heads.subject(i), no_tokens);
        out_.conditions.back().value = values[i];
      }
  }

  void arithmetic() {
    if (out_.d == 1) {
      for (std::size_t i = 0; i < theta_.all.size(); ++i)
        skip(theta_non_arithmetic, theta_.subject(i), "a single entry is always on a lattice");
      return;
    }
    each(theta_non_arithmetic, 0.5, [&](const Scaled& a) {
      return arithmetic_distance({a.unit.data(), static_cast<std::size_t>(a.unit.size())},
                                 constants_.least_spacing, stop_)
          .distance;
    });
  }

  template <class Measure>
  void norm_ratios(const Kind& kind, const Heads& heads, double unit, const Measure& measure) {
    for (std::size_t i = 0; i < heads.all.size(); ++i)
      if (heads.all.size() == 1)
        skip(kind, heads.subject(i), no_pair);
      else if (heads.largest_norm == 0)
        skip(kind, heads.subject(i), "all are zero");
      else
        add(kind, heads.subject(i), measure(heads.largest_norm / heads.all[i].norm()), unit);
  }

  const NicenessConstants& constants_;
  const StopToken& stop_;
  bool worst_only_;
  Heads theta_, w_;
  double log_d_, m_, rank_unit_;
  Certificate out_;
};

OptionTable<NicenessConstants> make_constants() {
  constexpr double least = 1e-9, most = 1e9;
  OptionTable<NicenessConstants> out;
  for (const Kind& kind :
       {theta_incoherence, theta_stable_rank, theta_diagonal, theta_column, theta_non_arithmetic,
        theta_norm_ratio, theta_norm, w_incoherence, w_stable_rank, w_norm_ratio, injectivity})
    out.real(kind.name, kind.constant, least, most, fmt::format("c in {}", kind.formula));
  out.real("least_spacing", &NicenessConstants::least_spacing, 0.001, 100,
           "least s of theta_non_arithmetic, in units of RMS(Theta_ab)");
  return out;
}

}  // namespace

double Condition::margin() const {
  return at_least ? constant_at_flip / constant : constant / constant_at_flip;
}

ConditionCounts Certificate::counts() const {
  ConditionCounts out;
  for (const Condition& c : worst())
    ++(c.status == ConditionStatus::pass   ? out.met
       : c.status == ConditionStatus::fail ? out.failed
                                           : out.not_applicable);
  return out;
}

const Condition* Certificate::least_margin() const {
  const Condition* out = nullptr;
  for (const Condition& c : conditions)
    if (c.status != ConditionStatus::not_applicable && (out == nullptr || c.margin() < out->margin()))
      out = &c;
  return out;
}

std::optional<bool> Certificate::nice() const {
  if (std::ranges::any_of(conditions,
                          [](const Condition& c) { return c.counts && c.status == ConditionStatus::fail; }))
    return false;
  return k && network == 0 ? std::optional(true) : std::nullopt;
}

std::vector<Condition> Certificate::worst() const {
  std::vector<Condition> out;
  for (const Condition& c : conditions) {  // subjects of one name stand together
    out.push_back(c);
    keep_the_worse_of_last_two(out);
  }
  return out;
}

const OptionTable<NicenessConstants>& niceness_constants() {
  static const OptionTable<NicenessConstants> table = make_constants();
  return table;
}

Certificate certify(const Layer& layer, std::optional<Index> k, const NicenessConstants& constants,
                    const StopToken& stop) {
  layer.validate();
  return Certifier(layer, k, constants, false, stop).all();
}

Certificate certify_worst(const Layer& layer, std::optional<Index> k, const NicenessConstants& constants,
                          const StopToken& stop) {
  layer.validate();
  return Certifier(layer, k, constants, true, stop).all();
}

double stable_rank(const Matrix& a) {
  const Scaled scaled(a);
  if (scaled.zero()) return 0;
  const Matrix gram = scaled.unit.transpose() * scaled.unit;
  return scaled.unit.squaredNorm() / symmetric_eigenvalues(gram).maxCoeff();
}

}  // namespace hardhead::hardness
