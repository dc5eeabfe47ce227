#include "hardness/concepts/named_class.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/text/option_table.h"
#include "hardness/families/parity.h"
#include "sq/concepts/parities.h"
#include "sq/concepts/table_class.h"

namespace hardhead::hardness {
namespace {

using sq::Bits;
using sq::ConceptClass;
using sq::Parities;
using sq::TableClass;

constexpr int max_table_bits = 12;

struct BitsOptions {
  int n = 8;
};

struct SubsetsOptions {
  int n = 8;
  int m = 3;
};

OptionTable<BitsOptions> bits_table(int fallback, int most, const char* meaning) {
  return OptionTable<BitsOptions>({fallback}).integer("n", &BitsOptions::n, 1, most, meaning);
}

/// A class whose parameters are the struct `Options`, which `table` binds to the keys of a spec.
template <class Options>
NamedClass named(std::string name, std::string summary, OptionTable<Options> table,
                 std::unique_ptr<ConceptClass> (*make)(const std::type_identity_t<Options>&)) {
  NamedClass out{std::move(name), std::move(summary), table.rows(), {}};
  out.make = [table = std::move(table), make](const Spec& spec) { return make(table.read(spec)); };
  return out;
}

std::unique_ptr<ConceptClass> behind_switch(const sq::ParityGoal& goal) {
  sq::check_bits("parities behind a switch", goal.d);
  return std::make_unique<Parities>(
      Parities::behind_switch(static_cast<int>(goal.d), static_cast<int>(goal.m)));
}

std::unique_ptr<ConceptClass> behind_switch_of_layer(const ParityOptions& options) {
  return behind_switch({.d = options.d, .m = options.m});
}

std::unique_ptr<ConceptClass> all_parities(const BitsOptions& options) {
  return std::make_unique<Parities>(Parities::all(options.n));
}

std::unique_ptr<ConceptClass> subsets(const SubsetsOptions& options) {
  return std::make_unique<Parities>(Parities::subsets(options.n, options.m));
}

std::unique_ptr<ConceptClass> dictators(const BitsOptions& options) {
  return std::make_unique<TableClass>(
      sq::tabulate(std::int64_t{2} * options.n, options.n, [](std::int64_t f, Bits z) {
        const int bit = sq::character(Bits{1} << (f / 2), z);
        return f % 2 == 0 ? bit : -bit;
      }));
}

std::unique_ptr<ConceptClass> points(const BitsOptions& options) {
  return std::make_unique<TableClass>(sq::tabulate(std::int64_t{1} << options.n, options.n,
                                                   [](std::int64_t f, Bits z) { return z == f ? -1 : 1; }));
}

std::unique_ptr<ConceptClass> thresholds(const BitsOptions& options) {
  return std::make_unique<TableClass>(sq::tabulate(std::int64_t{1} << options.n, options.n,
                                                   [](std::int64_t t, Bits z) { return z < t ? -1 : 1; }));
}

std::unique_ptr<ConceptClass> bent(const BitsOptions& options) {
  const int n = 2 * options.n;
  return std::make_unique<TableClass>(sq::tabulate(std::int64_t{1} << n, n, [](std::int64_t shift, Bits z) {
    const Bits x = z ^ static_cast<Bits>(shift);
    return __builtin_parity(x & (x >> 1) & 0x55555555u) != 0 ? -1 : 1;
  }));
}

std::vector<NamedClass> all_classes() {
  const OptionTable<SubsetsOptions> subsets_table =
      OptionTable<SubsetsOptions>()
          .integer("n", &SubsetsOptions::n, 1, sq::max_bits, "bits")
          .integer("m", &SubsetsOptions::m, 0, sq::max_bits, "size of the sets, at most n");
  return {
      named("parity", "parities of the m-subsets of d-1 bits behind a switch: the family of that name",
            parity_table(), behind_switch_of_layer),
      named("parities", "all 2^n parities", bits_table(8, max_table_bits, "bits"), all_parities),
      named("subsets", "parities of the m-subsets of n bits", subsets_table, subsets),
      named("dictators", "z_j and -z_j for every bit j", bits_table(8, max_table_bits, "bits"), dictators),
      named("points", "-1 at one point, +1 elsewhere", bits_table(4, max_table_bits, "bits"), points),
      named("thresholds", "-1 below t and +1 from t on, points read as numbers, t = 0 .. 2^n - 1",
            bits_table(5, max_table_bits, "bits"), thresholds),
      named("bent", "all shifts of z_1 z_2 + z_3 z_4 + .. (mod 2) on 2n bits",
            bits_table(3, max_table_bits / 2, "half the bits"), bent),
  };
}

}  // namespace

std::span<const NamedClass> named_classes() {
  static const std::vector<NamedClass> classes = all_classes();
  return classes;
}

std::optional<sq::ParityGoal> parity_goal(const Spec& spec) {
  const auto family = std::ranges::find(families(), spec.name, &Family::name);
  if (family == families().end() || family->hides != Hidden::parity_set) return std::nullopt;
  const lwe::ProblemParameters problem = family->samples(spec).problem;
  return sq::ParityGoal{.d = problem.n + 1, .m = problem.weight};
}

std::unique_ptr<ConceptClass> make_class(const Spec& spec) {
  if (const auto goal = parity_goal(spec)) return behind_switch(*goal);
  return find_named("class", spec.name, named_classes()).make(spec);
}

}  // namespace hardhead::hardness
