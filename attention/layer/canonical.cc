#include "attention/layer/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/layer/network.h"
#include "base/error.h"

namespace hardhead::attention {
namespace {

double largest_entry(const Matrix& matrix) {
  return matrix.cwiseAbs().maxCoeff();
}

/// The heads of a layer that are one head.
struct Group {
  Head head;
  std::vector<HeadPart> parts;
  double size;           // the sum of the largest entries of the terms of W
  double largest_theta;  // entry

  void add(const Matrix& w, const HeadPart& part) {
    head.w += w;
    size += largest_entry(w);
    parts.push_back(part);
  }
  bool vanishes(double tolerance) const { return largest_entry(head.w) <= tolerance * size; }
};

/// How a layer is reduced.
struct Rule {
  bool turns;      // k = 2
  bool canonical;  // signs and order
  double tolerance;
  StopToken stop;

  /// Is |a - sign b| <= tolerance max(1, |a|, |b|), by largest entries? Most matrices differ in their first.
  bool equal(const Matrix& a, double largest_of_a, const Matrix& b, double largest_of_b,
             double sign = 1) const {
    const double most = tolerance * std::max({1.0, largest_of_a, largest_of_b});
    return std::equal(a.data(), a.data() + a.size(), b.data(),
                      [&](double x, double y) { return std::abs(x - sign * y) <= most; });
  }
  bool is_zero(const Matrix& a) const {
    return largest_entry(a) <= tolerance * std::max(1.0, largest_entry(a));
  }

  /// Is the entry that decides the sign negative?
  bool is_negative(const Matrix& theta) const {
    const double least = (1 - tolerance) * largest_entry(theta);
    const auto by_rows = theta.transpose().reshaped();
    return *std::ranges::find_if(by_rows, [&](double entry) { return std::abs(entry) >= least; }) < 0;
  }
};

Head turned(const Head& head) {
  return {-head.theta, -head.w};
}

/// Puts a head that is not constant in its group; says whether it is turned there.
bool put(const Head& given, Index index, const Rule& rule, std::vector<Group>& groups) {
  const bool negative = rule.turns && rule.canonical && rule.is_negative(given.theta);
  const Head head = negative ? turned(given) : given;
  const double largest = largest_entry(head.theta);
  for (Group& group : groups) {
    rule.stop.check();
    const auto equals = [&](double sign) {
      return rule.equal(group.head.theta, group.largest_theta, head.theta, largest, sign);
    };
    const bool same = equals(1);
    if (!same && !(rule.turns && equals(-1))) continue;
    group.add(same ? head.w : Matrix(-head.w), {index, negative == same});
    return negative == same;
  }
  groups.push_back({head, {{index, negative}}, largest_entry(head.w), largest});
  return negative;
}

bool before(const Group& a, const Group& b) {
  const auto row_by_row = [](const Matrix& matrix) { return matrix.transpose().reshaped(); };
  if (a.head.theta != b.head.theta)
    return std::ranges::lexicographical_compare(row_by_row(a.head.theta), row_by_row(b.head.theta));
  return std::ranges::lexicographical_compare(row_by_row(a.head.w), row_by_row(b.head.w));
}

ReducedLayer reduce(const Layer& layer, std::optional<Index> k, const Rule& rule) {
  const Matrix zero = Matrix::Zero(layer.d, layer.d);
  std::vector<Group> groups;
  Group constant{{zero, zero}, {}, 0, 0};
  for (Index i = 0; i < layer.m(); ++i) {
    const Head& head = layer.heads[static_cast<std::size_t>(i)];
    if (k == 1 || rule.is_zero(head.theta))
      constant.add(head.w, {i});
    else if (put(head, i, rule, groups))
      constant.add(2 * head.w, {i, true});
  }
  if (rule.canonical) std::ranges::sort(groups, before);
  if (!constant.parts.empty()) groups.push_back(constant);

  ReducedLayer out{{layer.d, {}, layer.network}, false, {}, {}};
  for (const Group& group : groups) {
    if (group.vanishes(rule.tolerance)) {
      out.vanished.push_back(group.parts);
      continue;
    }
    out.layer.heads.push_back(group.head);
    out.parts.push_back(group.parts);
    out.has_constant = &group == &groups.back() && !constant.parts.empty();
  }
  if (out.layer.heads.empty()) {
    out.layer.heads.push_back({zero, zero});
    out.parts.emplace_back();
    out.has_constant = true;
  }
  return out;
}

ReducedLayer reduce(const Layer& layer, std::optional<Index> k, const Rule& rule, LastFeature last) {
  if (last == LastFeature::varies) return reduce(layer, k, rule);
  Layer without = layer;
  for (Head& head : without.heads) {
    head.theta.rightCols(1).setZero();
    head.w.bottomRows(1).setZero();
  }
  ReducedLayer out = reduce(without, k, rule);
  const Eigen::RowVectorXd share = layer.w_sum().bottomRows(1) / static_cast<double>(out.layer.m());
  for (Head& head : out.layer.heads) head.w.bottomRows(1) = share;
  return out;
}

void check(const Layer& layer, std::optional<Index> k, double tolerance) {
  layer.validate();
  if (k && *k < 1) throw InputError(fmt::format("a canonical form for k = {} tokens: k must be >= 1", *k));
  if (!(tolerance >= 0 && tolerance < 1))
    throw InputError(fmt::format("tolerance = {} of a canonical form: it must be in [0, 1)", tolerance));
}

}  // namespace

bool ReducedLayer::nothing_merged() const {
  return vanished.empty() &&
         std::ranges::all_of(parts, [](const auto& of) { return of.size() == 1 && !of[0].turned; });
}

ReducedLayer reduced_layer(const Layer& layer, std::optional<Index> k, double tolerance, LastFeature last) {
  check(layer, k, tolerance);
  return reduce(layer, k, {k == 2, false, tolerance, {}}, last);
}

ReducedLayer canonical_form(const Layer& layer, std::optional<Index> k, double tolerance, LastFeature last,
                            const StopToken& stop) {
  check(layer, k, tolerance);
  return reduce(with_canonical_network(layer), k, {k == 2, true, tolerance, stop}, last);
}

}  // namespace hardhead::attention
