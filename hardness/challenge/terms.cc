#include "hardness/challenge/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "hardness/families/family.h"
#include "hardness/families/parity.h"
#include "hardness/families/rounding_layer.h"

namespace hardhead::challenge {
namespace {

using attention::Block;
using attention::Index;
using lwe::Residue;

constexpr double least_w_norm = 0.01, most_w_norm = 100;
constexpr std::int64_t most_entries = 3072;

Spec without(Spec spec, std::initializer_list<const char*> keys) {
  std::erase_if(spec.values,
                [&](const auto& value) { return std::ranges::find(keys, value.first) != keys.end(); });
  return spec;
}

SwitchTerms parity_terms(const hardness::ParityOptions& options) {
  if (options.variant != hardness::ParityVariant::exact)
    throw InputError("challenges of parities are of variant=exact");
  return {.problem = {.problem = lwe::ProblemKind::lpn,
                      .n = options.d - 1,
                      .q = 2,
                      .secret = lwe::SecretKind::fixed_weight,
                      .weight = options.m,
                      .rate = 0},
          .levels = 2,
          .first = -2,
          .step = 4};
}

/// The problem has the keys of the layer but for those of its gadget (and q, which is 2 for lpn).
SwitchTerms rounding_terms(const Spec& canonical) {
  const Spec problem =
      canonical.name == "lpn" ? without(canonical, {"q", "base"}) : without(canonical, {"base", "heads"});
  SwitchTerms out;
  out.problem = lwe::Recipe::parse(problem).parameters;
  out.levels = out.problem.problem == lwe::ProblemKind::lwr ? out.problem.p : out.problem.q;
  return out;
}

hardness::NiceOptions nice_terms(const Spec& canonical) {
  const hardness::NiceOptions options = hardness::nice_table().read(canonical);
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
  return without(std::move(canonical), {"seed"});
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
    if (family.name == "parity")
      out.behind_switch = parity_terms(hardness::parity_table().read(out.spec));
    else if (family.name == "lwr" || family.name == "lwe" || family.name == "lpn")
      out.behind_switch = rounding_terms(out.spec);
    else if (family.name == "nice")
      out.nice = nice_terms(out.spec);
    else
      throw InputError(fmt::format("challenges are made of {}", challenge_families));
  });
  return out;
}

lwe::Samples rows_behind_switch(const SwitchTerms& terms, Block& block) {
  block.y.setZero();
  return hardness::rounding_samples(terms.problem, block);
}

void write_labels(const SwitchTerms& terms, std::span<const Residue> g, Block& block) {
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

ReadLabels read_labels(const SwitchTerms& terms, const Block& block) {
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
