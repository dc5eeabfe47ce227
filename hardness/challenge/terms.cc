#include "hardness/challenge/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "hardness/families/rounding_layer.h"

namespace hardhead::challenge {
namespace {

using attention::Block;
using attention::Index;
using lwe::Residue;

constexpr double least_w_norm = 0.01, most_w_norm = 100;
constexpr std::int64_t most_entries = 3072;

std::string challenge_families() {
  std::vector<std::string> out;
  for (const bool samples : {true, false})
    for (const hardness::Family& family : hardness::families())
      if (samples ? family.samples != nullptr : family.random_layer != nullptr) out.push_back(family.name);
  return fmt::format("{}", fmt::join(out, ", "));
}

SamplesBehindSwitch terms_of_samples(SamplesBehindSwitch samples) {
  if (samples.shifted)
    throw InputError("labels of challenges are 0 where the switch is off, and those of this variant are not");
  return samples;
}

hardness::NiceOptions nice_terms(const hardness::NiceOptions& options) {
  if (!(options.w_norm >= least_w_norm && options.w_norm <= most_w_norm))
    throw InputError(
        fmt::format("w_norm={} is not in {} .. {}: labels are compared to six digits after the point",
                    options.w_norm, least_w_norm, most_w_norm));
  if (options.k * options.d > most_entries)
    throw InputError(
        fmt::format("k={} tokens of d={} features are more than {} numbers a label, of which one is "
                    "always too near to where rounding turns",
                    options.k, options.d, most_entries));
  return options;
}

}  // namespace

std::optional<double> Terms::log2_secrets() const {
  return behind_switch ? std::optional(behind_switch->problem.log2_secrets()) : std::nullopt;
}

void refuse_seed(const Spec& spec) {
  if (spec.value("seed") == nullptr) return;
  throw InputError(fmt::format(
      "spec '{}': a challenge has no seed, since its secret comes from the operating system's entropy",
      spec.str()));
}

Spec without_seed(Spec canonical) {
  std::erase_if(canonical.values, [](const auto& value) { return value.first == "seed"; });
  return canonical;
}

Terms read_terms(const Spec& given) {
  refuse_seed(given);
  const hardness::Family& family = hardness::find_family(given.name);
  const hardness::InstanceShape shape = family.shape(given);
  Terms out{.spec = without_seed(family.canonical(given)),
            .d = shape.d,
            .k = shape.k,
            .inputs = shape.inputs,
            .behind_switch = {},
            .nice = {}};
  hardness::naming(out.spec, [&] {
    if (family.samples)
      out.behind_switch = terms_of_samples(family.samples(out.spec));
    else if (family.random_layer)
      out.nice = nice_terms(family.random_layer(out.spec));
    else
      throw InputError(fmt::format("challenges are made of {}", challenge_families()));
  });
  return out;
}

lwe::Samples rows_behind_switch(const SamplesBehindSwitch& terms, Block& block) {
  block.y.setZero();
  return hardness::rounding_samples(terms.problem, block);
}

void write_labels(const SamplesBehindSwitch& terms, std::span<const Residue> g, Block& block) {
  const Index j0 = block.d() - 1;
  block.y.setZero();
  std::size_t next = 0;
  for (Index n = 0; n < block.count; ++n) {
    const double x = block.token(0)(j0, n);
    if (x == block.token(1)(j0, n)) continue;
    const double level = terms.first + terms.step * static_cast<double>(g[next++]);
    block.y(0, block.column(0, n)) = x * level + 0.0;  // no -0
    block.y(0, block.column(1, n)) = -x * level + 0.0;
  }
}

ReadLabels read_labels(const SamplesBehindSwitch& terms, const Block& block) {
  const Index j0 = block.d() - 1;
  ReadLabels out;
  for (Index n = 0; n < block.count; ++n) {
    const double x = block.token(0)(j0, n);
    if (x == block.token(1)(j0, n)) continue;
    const double g = std::round((x * block.label(0)(0, n) - terms.first) / terms.step);
    out.g.push_back(static_cast<Residue>(std::clamp(g, 0.0, static_cast<double>(terms.levels - 1))));
  }
  Block exact = block;
  write_labels(terms, out.g, exact);
  const double most = std::abs(terms.step) / 4;
  for (Index n = 0; n < block.count; ++n)
    for (Index r = 0; r < block.k; ++r)
      for (Index f = 0; f < block.d(); ++f) {
        const double said = block.label(r)(f, n), nearest = exact.label(r)(f, n);
        if (std::abs(said - nearest) <= most) continue;
        if (out.defects++ == 0)
          out.first_defect = fmt::format(
              "y[{},{},{}] is {:.6g}, and the nearest label there can be is {:.6g}", n, r, f, said, nearest);
      }
  return out;
}

}  // namespace hardhead::challenge
