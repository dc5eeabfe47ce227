#include "lwe/problem/foreign_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text/number.h"
#include "base/text/quoted.h"

namespace hardhead::lwe {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

/// A law by one of its names, and the key of its number: of a secret, and of noise; empty where it has none.
struct Law {
  std::string_view name, ours;
  bool number = false;
  std::string_view of_secret{}, of_noise{};
  int times = 1;  ///< ours is so many times theirs
};

constexpr std::string_view no_noise = "-";  // a law that noise does not have

constexpr Law laws[] = {{"uniform", "uniform", false, {}, no_noise},
                        {"UniformMod", "uniform", false, {}, no_noise},
                        {"binary", "binary"},
                        {"Binary", "binary"},
                        {"ternary", "ternary", false, {}, no_noise},
                        {"Ternary", "ternary", false, {}, no_noise},
                        {"fixed-weight", "fixed-weight", true, "weight", no_noise},
                        {"SparseBinary", "fixed-weight", true, "weight", no_noise},
                        {"sparse-ternary", "sparse-ternary", true, "weight", no_noise},
                        {"SparseTernary", "sparse-ternary", true, "weight", no_noise, 2},
                        {"binomial", "binomial", true, "secret_eta", "eta"},
                        {"CenteredBinomial", "binomial", true, "secret_eta", "eta"},
                        {"gaussian", "gaussian", true, "secret_sigma", "sigma"},
                        {"DiscreteGaussian", "gaussian", true, "secret_sigma", "sigma"}};

std::string names_of_laws(bool secret) {
  std::string out;
  for (const Law& law : laws)
    if (secret || law.of_noise != no_noise)
      out += fmt::format("{}{}{}", out.empty() ? "" : ", ", law.name, law.number ? "(number)" : "");
  return out;
}

/// Adds what `key=value`, Xs or Xe, is in our names.
void add_law(const std::string& key, const std::string& value, Values& to) {
  const bool secret = key == "Xs";
  std::string_view text = value;
  if (text.starts_with("ND.")) text.remove_prefix(3);
  const std::size_t open = text.find_first_of("(:");
  const std::string_view name = text.substr(0, open);
  const Law* const law = std::ranges::find(laws, name, &Law::name);
  if (law == std::end(laws) || (!secret && law->of_noise == no_noise))
    throw InputError(fmt::format("{}={} is no law of the {} (one of: {})", key, in_quotes(value),
                                 secret ? "secret" : "noise", names_of_laws(secret)));
  to.emplace_back(secret ? "secret" : "noise", law->ours);
  if (!law->number) return;
  std::string_view inside = open == std::string_view::npos ? std::string_view{} : text.substr(open + 1);
  if (open != std::string_view::npos && text[open] == '(') {
    if (!inside.ends_with(')')) inside = {};
    if (!inside.empty()) inside.remove_suffix(1);
  }
  std::string number(inside);
  if (number.empty())
    throw InputError(
        fmt::format("{}={}: {} needs its number, as in {}(3)", key, in_quotes(value), name, name));
  if (law->times != 1) {
    constexpr std::int64_t most = 1 << 20;
    const std::optional<std::int64_t> theirs = integer_of(number);
    if (!theirs || *theirs < 0 || *theirs > most)
      throw InputError(
          fmt::format("{}={}: {} is no integer in 0 .. {}", key, in_quotes(value), in_quotes(number), most));
    number = std::to_string(law->times * *theirs);
  }
  to.emplace_back(secret ? law->of_secret : law->of_noise, number);
}

double number_of(const char* key, const std::string& text) {
  const std::optional<double> out = real_of(text);
  if (!out || !std::isfinite(*out)) throw InputError(fmt::format("{}={} is no number", key, in_quotes(text)));
  return *out;
}

}  // namespace

Spec in_our_names(ProblemKind problem, const Spec& spec) {
  Spec out{spec.name, {}};
  for (const auto& [key, value] : spec.values) {
    Values ours;
    if (key == "m") {
      ours.emplace_back("samples", value);
    } else if (key == "Xs" || (key == "Xe" && problem == ProblemKind::lwe)) {
      add_law(key, value, ours);
    } else if (key == "alpha" && problem == ProblemKind::lwe) {
      const std::string* const q = spec.value("q");
      const Recipe defaults = recipe_table(problem).read({spec.name, {}});
      const double modulus = q != nullptr ? number_of("q", *q) : static_cast<double>(defaults.parameters.q);
      ours.emplace_back(
          "sigma", fmt::format("{}", number_of("alpha", value) * modulus / std::sqrt(2 * std::numbers::pi)));
    } else {
      ours.emplace_back(key, value);
    }
    for (auto& pair : ours) {
      if (const std::string* const before = out.value(pair.first))
        throw InputError(fmt::format("spec {}: {} says {}={}, which is {} already", in_quotes(spec.str()),
                                     key, pair.first, pair.second, *before));
      out.values.push_back(std::move(pair));
    }
  }
  return out;
}

}  // namespace hardhead::lwe
