#include "base/text/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "base/error.h"
#include "base/text/number.h"
#include "base/text/quoted.h"
#include "base/text/seed.h"

namespace hardhead {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// Without the dashes of a flag, and with '-' for '_'.
std::string bare(std::string_view name) {
  std::string out(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::replace(out, '_', '-');
  return out;
}

/// Names that stand for one thing, here or in other programs: a line each.
constexpr std::array<std::string_view, 17> synonyms{
    "|rate|lr|learning-rate|step-size|",
    "|m|heads|n-heads|num-heads|nheads|head|",
    "|k|tokens|n-tokens|num-tokens|seq-len|",
    "|d|dim|features|d-model|n-features|embed-dim|",
    "|steps|iterations|iters|epochs|max-iter|n-iter|",
    "|batch|batch-size|bs|",
    "|until|tol|target|",
    "|method|learner|algorithm|model|optimizer|optimiser|",
    "|examples|samples|n|n-samples|count|",
    "|seed|random-state|rng|",
    "|seeds|runs|repeats|trials|reps|",
    "|time-limit|timeout|max-time|",
    "|memory-limit|max-memory|",
    "|jobs|workers|parallel|processes|j|",
    "|threads|cores|cpus|",
    "|inputs|distribution|",
    "|out|output|o|",
};

}  // namespace

Parameter Parameter::integer(std::string name, std::int64_t fallback, double minimum, double maximum,
                             std::string meaning) {
  return {std::move(name),   Kind::integer, fmt::format("{}", fallback), minimum, maximum, {},
          std::move(meaning)};
}

Parameter Parameter::real(std::string name, double fallback, double minimum, double maximum,
                          std::string meaning) {
  return {std::move(name), Kind::real, fmt::format("{}", fallback), minimum, maximum, {}, std::move(meaning)};
}

Parameter Parameter::choice(std::string name, std::vector<std::string> choices, std::string meaning) {
  return {.name = std::move(name),
          .kind = Kind::choice,
          .fallback = choices.front(),
          .choices = std::move(choices),
          .meaning = std::move(meaning)};
}

Parameter Parameter::text(std::string name, std::string meaning) {
  return {.name = std::move(name), .kind = Kind::text, .meaning = std::move(meaning)};
}

std::string Parameter::range() const {
  if (kind == Kind::text) return "text";
  if (kind == Kind::choice) return fmt::format("{}", fmt::join(choices, " | "));
  if (std::isinf(maximum)) return fmt::format("at least {}", minimum);
  if (maximum == seed_end) return fmt::format("{} .. {}", minimum, most_seed);
  return fmt::format("{} .. {}", minimum, maximum);
}

Parameters::Parameters(const Spec& spec, std::span<const Parameter> table) {
  std::vector<std::string> names;
  for (const Parameter& p : table) names.push_back(p.name);
  for (const auto& [key, value] : spec.values)
    if (std::find(names.begin(), names.end(), key) == names.end())
      throw InputError(fmt::format("spec {}: '{}' has no parameter '{}'{} (it has: {})",
                                   in_quotes(spec.str()), spec.name, key, did_you_mean(key, names),
                                   fmt::join(names, ", ")));

  canonical_.name = spec.name;
  for (const Parameter& p : table) {
    std::string text = p.fallback;
    for (const auto& [key, value] : spec.values)
      if (key == p.name) text = value;
    const auto fail = [&](std::string_view kind) {
      throw InputError(fmt::format("spec {}: {}={} is not {} {}", in_quotes(spec.str()), p.name,
                                   on_one_line(text), kind, p.range()));
    };
    if (p.kind == Parameter::Kind::integer) {
      const auto number = integer_of(text);
      if (!number || static_cast<double>(*number) < p.minimum || static_cast<double>(*number) > p.maximum)
        fail("an integer in the range");
      values_[p.name] = *number;
      text = fmt::format("{}", *number);
    } else if (p.kind == Parameter::Kind::real) {
      const auto read = real_of(text);
      if (!read || !std::isfinite(*read) || *read < p.minimum || *read > p.maximum)
        fail("a number in the range");
      const double number = *read + 0.0;  // -0 and 0 are one value and must print alike
      values_[p.name] = number;
      text = fmt::format("{}", number);
    } else if (p.kind == Parameter::Kind::text) {
      if (text.empty())
        throw InputError(fmt::format("spec {}: '{}' needs {}=..", in_quotes(spec.str()), spec.name, p.name));
      values_[p.name] = text;
    } else {
      if (std::find(p.choices.begin(), p.choices.end(), text) == p.choices.end()) fail("one of");
      values_[p.name] = text;
    }
    canonical_.values.emplace_back(p.name, text);
  }
}

const Parameters::Value& Parameters::at(std::string_view name) const {
  const auto found = values_.find(name);
  assert(found != values_.end() && "the table has no parameter of that name");
  return found->second;
}

std::int64_t Parameters::integer(std::string_view name) const {
  return std::get<std::int64_t>(at(name));
}
double Parameters::real(std::string_view name) const {
  return std::get<double>(at(name));
}
const std::string& Parameters::text(std::string_view name) const {
  return std::get<std::string>(at(name));
}

bool are_synonyms(std::string_view a, std::string_view b) {
  return std::ranges::any_of(synonyms, [&](std::string_view line) {
    const auto has = [&](std::string_view name) {
      return line.find(fmt::format("|{}|", bare(name))) != std::string_view::npos;
    };
    return has(a) && has(b);
  });
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string* best = nullptr;
  for (const std::string& candidate : known)
    if (are_synonyms(name, candidate)) return fmt::format(", did you mean '{}'?", candidate);
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // A name that was not written to its end is nearer than any other.
    const std::size_t distance = candidate.starts_with(name) ? 1 : edit_distance(name, candidate);
    if (distance == std::max(name.size(), candidate.size())) continue;  // nothing in common
    if (distance < least) {
      least = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? "" : fmt::format(", did you mean '{}'?", *best);
}

std::size_t find_name(std::string_view kind, std::string_view name, std::span<const std::string> known) {
  const auto at = std::find(known.begin(), known.end(), name);
  if (at == known.end())
    throw InputError(fmt::format("unknown {} {}{} (one of: {})", kind, in_quotes(name),
                                 did_you_mean(name, known), fmt::join(known, ", ")));
  return static_cast<std::size_t>(at - known.begin());
}

}  // namespace hardhead
