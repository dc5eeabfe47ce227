#include "app/text/certificate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/output.h"
#include "base/text/record_json.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

using attention::Index;
using hardness::Certificate;
using hardness::Condition;
using hardness::ConditionStatus;
using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

const char* verdict_of(const Condition& c) {
  return c.status == ConditionStatus::pass ? "pass" : c.status == ConditionStatus::fail ? "FAIL" : "-";
}

std::string needed_by(const Condition& c) {
  return fmt::format("{} {}", c.at_least ? ">=" : "<=", shown(c.threshold));
}

std::string condition_rows(const std::vector<Condition>& conditions, bool with_flips) {
  std::vector<Cells> rows = {{"condition", "subject", "value", "needed", "margin", "verdict"}};
  if (with_flips) rows.front().emplace_back("flips at");
  for (const Condition& c : conditions) {
    const bool applies = c.status != ConditionStatus::not_applicable;
    rows.push_back({c.name, c.subject, shown(c.value), applies ? needed_by(c) : "-",
                    applies ? shown(c.margin()) : "-",
                    applies ? verdict_of(c) : "not applicable: " + c.reason});
    if (with_flips) rows.back().push_back(applies ? fmt::format("c = {}", shown(c.constant_at_flip)) : "");
  }
  return table(rows);
}

std::string formulas(const Certificate& certificate) {
  std::vector<Cells> rows = {{"condition", "c", "formula (log d = max(1, ln d))"}};
  for (const Condition& c : certificate.worst())
    rows.push_back({c.name, fmt::format("{}", c.constant), c.formula});
  return table(rows);
}

/// "at constant 1", "at these constants".
std::string at_constants(const Certificate& certificate) {
  const bool ones =
      std::ranges::all_of(certificate.conditions, [](const Condition& c) { return c.constant == 1; });
  return ones ? "at constant 1" : "at these constants";
}

/// The constants that what fails would pass with, rounded to three digits on the right side.
std::string what_would_pass(const Certificate& certificate) {
  std::string flags, hopeless;
  for (const Condition& c : certificate.worst()) {
    if (c.status != ConditionStatus::fail || !c.counts) continue;
    constexpr double rounding = 0.005;
    const double constant = c.constant_at_flip * (c.at_least ? 1 - rounding : 1 + rounding);
    const Parameter& range = find_named<Parameter>("constant", c.name, hardness::niceness_constants().rows());
    if (constant >= range.minimum && constant <= range.maximum)
      flags += fmt::format(" --constant {}={:.3g}", c.name, constant);
    else
      hopeless += " " + c.name;
  }
  std::string out;
  if (!hopeless.empty()) out += fmt::format("No constant would do for:{}. ", hopeless);
  if (!flags.empty())
    out += fmt::format("{} pass with:{}", hopeless.empty() ? "What fails would" : "The others would", flags);
  return out;
}

std::string verdict(const Certificate& certificate) {
  const hardness::ConditionCounts counts = certificate.counts();
  std::string failing, undecided, without;
  const auto append = [](std::string& list, const std::string& name) {
    list += (list.empty() ? "" : ", ") + name;
  };
  for (const Condition& c : certificate.worst()) {
    if (c.status == ConditionStatus::fail) append(failing, fmt::format("{} ({})", c.name, shown(c.margin())));
    if (c.status == ConditionStatus::not_applicable)
      append(!certificate.k && c.reason.find("tokens") != std::string::npos ? undecided : without, c.name);
  }
  std::string out =
      fmt::format("meets {} of {} conditions {}", counts.met, counts.all(), at_constants(certificate));
  if (!failing.empty()) out += "; fails, with margin: " + failing;
  if (!without.empty()) out += "; do not apply: " + without;
  out = wrapped(out);
  if (!undecided.empty()) out += wrapped("Not decided without --tokens: " + undecided);
  if (const std::string more = what_would_pass(certificate); !more.empty()) out += wrapped(more);
  if (certificate.network > 0)
    out +=
        wrapped(fmt::format("All of this is of the heads alone. The upper bound does not speak of the {} "
                            "units behind them.",
                            certificate.network));
  return out;
}

bool has_several_offsets(const std::vector<LayerCertificate>& layers) {
  return std::ranges::any_of(layers, [&](const auto& one) { return one.offset != layers.front().offset; });
}

}  // namespace

std::string shown(double value) {
  return std::isinf(value) ? "inf" : brief(value);
}

std::string certificate_text(const std::string& source, const Certificate& certificate, bool all) {
  std::string out =
      fmt::format("{}: d = {}, {}, k = {}\n\n", source, certificate.d, counted(certificate.m, "head"),
                  certificate.k ? fmt::format("{}", *certificate.k) : "unknown");
  out += condition_rows(all ? certificate.conditions : certificate.worst(), all) + "\n";
  if (all) out += formulas(certificate) + "\n";
  return out + verdict(certificate);
}

Json certificate_json(const std::string& source, const Certificate& certificate) {
  const hardness::ConditionCounts counts = certificate.counts();
  return report::report_json(report::Document::certificate,
                             {{"source", source},
                              {"d", certificate.d},
                              {"m", certificate.m},
                              {"k", json_value(certificate.k)},
                              {"network", certificate.network},
                              {"nice", json_value(certificate.nice())},
                              {"met", counts.met},
                              {"failed", counts.failed},
                              {"not_applicable", counts.not_applicable},
                              {"conditions", json_value(certificate.conditions)}});
}

std::string layers_text(const std::vector<LayerCertificate>& layers) {
  const bool offsets = has_several_offsets(layers);
  std::vector<Cells> rows = {
      {"layer", "heads", "d", "conditions met", "worst condition", "subject", "margin"}};
  if (offsets) rows.front().insert(rows.front().begin() + 1, "offset");
  for (const auto& [layer, offset, certificate] : layers) {
    const hardness::ConditionCounts counts = certificate.counts();
    const Condition* worst = certificate.least_margin();
    rows.push_back({fmt::format("{}", layer), fmt::format("{}", certificate.m),
                    fmt::format("{}", certificate.d), fmt::format("{} of {}", counts.met, counts.all()),
                    worst != nullptr ? worst->name : "-", worst != nullptr ? worst->subject : "-",
                    worst != nullptr ? shown(worst->margin()) : "-"});
    if (offsets) rows.back().insert(rows.back().begin() + 1, fmt::format("{}", offset));
  }
  return table(rows);
}

report::Table conditions_table(const std::vector<LayerCertificate>& layers) {
  const auto cell = [](double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; };
  report::Table out{{"layer", "offset", "condition", "subject", "value", "threshold", "margin", "verdict"},
                    {}};
  for (const auto& [layer, offset, certificate] : layers)
    for (const Condition& c : certificate.conditions)
      out.add({fmt::format("{}", layer), fmt::format("{}", offset), c.name, c.subject, cell(c.value),
               cell(c.threshold), cell(c.margin()),
               c.status == ConditionStatus::not_applicable ? "not applicable" : verdict_of(c)});
  return out;
}

report::HeatMap margins_map(const std::string& source, const std::vector<LayerCertificate>& layers) {
  report::HeatMap out{.title = source + ": smallest margin of a head's conditions",
                      .x = "head",
                      .y = "layer",
                      .columns = {},
                      .rows = {},
                      .unit = "margin (below 1 a condition fails)",
                      .values = {}};
  Index most = 0;
  for (const LayerCertificate& one : layers) most = std::max(most, one.certificate.m);
  for (Index head = 0; head < most; ++head) out.columns.push_back(fmt::format("{}", head));
  for (const auto& [layer, offset, certificate] : layers) {
    const std::string name = fmt::format("{}", layer);
    if (out.rows.empty() || out.rows.back() != name) {
      out.rows.push_back(name);
      out.values.emplace_back(most, std::numeric_limits<double>::quiet_NaN());
    }
    for (const Condition& c : certificate.conditions)
      if (c.status != ConditionStatus::not_applicable)
        for (const Index head : c.heads) {
          double& least = out.values.back()[static_cast<std::size_t>(head)];
          least = std::fmin(least, c.margin());  // a NaN yields to a number
        }
  }
  return out;
}

}  // namespace hardhead::app
