#include "study/problem/suite.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/run/parallel.h"
#include "base/text/parameters.h"
#include "hardness/families/family.h"

namespace hardhead::study {
namespace {

constexpr std::string_view prefix = "suite:", purpose_mark = "# ";

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The digest of the instance that this program makes, or why it makes none.
std::string digest_now(const std::string& spec) {
  try {
    return hardness::make_instance(Spec::parse(spec)).digest;
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

std::span<const Suite> suites() {
  static const std::vector<Suite> all = [] {
    std::vector<Suite> out;
    for (const detail::SuiteText& file : detail::suite_texts())
      out.push_back(parse_suite(std::string(file.name), file.text));
    return out;
  }();
  return all;
}

const Suite& find_suite(const std::string& name) {
  return find_named("suite", name, suites());
}

std::optional<std::string> names_a_suite(const std::string& source) {
  if (!source.starts_with(prefix)) return std::nullopt;
  return source.substr(prefix.size());
}

Suite parse_suite(const std::string& name, std::string_view text) {
  Suite suite{name, "", {}};
  int number = 0;
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("suite '{}', line {}: {}", name, number, what));
  };
  std::set<std::string> known;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(line.size());
    if (line.ends_with('\n')) line.remove_suffix(1);
    ++number;
    if (number == 1) {
      if (!line.starts_with(purpose_mark)) fail("'# ' and what the suite is for are expected");
      suite.purpose = line.substr(purpose_mark.size());
      continue;
    }
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || !is_digest(line.substr(space + 1)))
      fail(fmt::format("'{}': a spec, a space and the 64 digits of a digest are expected", line));
    SuiteEntry entry{std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
    if (!known.insert(entry.spec).second) fail(fmt::format("'{}' comes twice", entry.spec));
    suite.entries.push_back(std::move(entry));
  }
  if (suite.entries.empty()) fail("the suite has no entry");
  return suite;
}

SuiteEntry make_entry(const std::string& spec) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse(spec));
  return {instance.spec.str(), instance.digest};
}

std::vector<SuiteMismatch> verify(const Suite& suite, const RunContext& context) {
  std::vector<std::string> found(suite.entries.size());
  parallel_for_each_index(static_cast<std::int64_t>(found.size()), [&](std::int64_t i) {
    context.stop.check();
    found[i] = digest_now(suite.entries[i].spec);
  });
  std::vector<SuiteMismatch> out;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != suite.entries[i].digest) out.push_back({suite.entries[i], found[i]});
  return out;
}

}  // namespace hardhead::study
