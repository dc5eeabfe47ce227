#include "sq/named_class.h"

#include "sq/parities.h"
#include "sq/table_class.h"

namespace hardhead::sq {
namespace {

constexpr int max_table_bits = 12;

Parameter bits(std::int64_t fallback, int most, const char* meaning) {
  return Parameter::integer("n", fallback, 1, most, meaning);
}

int n_of(const Parameters& p) {
  return static_cast<int>(p.integer("n"));
}

const std::vector<NamedClass> classes = {
    {"parity",
     "parities of the m-subsets of d-1 bits behind a switch: the family of that name",
     {Parameter::integer("d", 12, 2, max_bits, "bits; the last is the switch"),
      Parameter::integer("m", 3, 1, max_bits - 1, "size of the hidden set, at most d-1")},
     [](const Parameters& p) {
       return std::make_unique<Parities>(
           Parities::behind_switch(static_cast<int>(p.integer("d")), static_cast<int>(p.integer("m"))));
     }},
    {"parities",
     "all 2^n parities",
     {bits(8, max_table_bits, "bits")},
     [](const Parameters& p) { return std::make_unique<Parities>(Parities::all(n_of(p))); }},
    {"subsets",
     "parities of the m-subsets of n bits",
     {bits(8, max_bits, "bits"), Parameter::integer("m", 3, 0, max_bits, "size of the sets, at most n")},
     [](const Parameters& p) {
       return std::make_unique<Parities>(Parities::subsets(n_of(p), static_cast<int>(p.integer("m"))));
     }},
    {"dictators",
     "z_j and -z_j for every bit j",
     {bits(8, max_table_bits, "bits")},
     [](const Parameters& p) {
       return std::make_unique<TableClass>(
           tabulate(std::int64_t{2} * n_of(p), n_of(p), [](std::int64_t f, Bits z) {
             const int bit = character(Bits{1} << (f / 2), z);
             return f % 2 == 0 ? bit : -bit;
           }));
     }},
    {"points",
     "-1 at one point, +1 elsewhere",
     {bits(4, max_table_bits, "bits")},
     [](const Parameters& p) {
       return std::make_unique<TableClass>(tabulate(std::int64_t{1} << n_of(p), n_of(p),
                                                    [](std::int64_t f, Bits z) { return z == f ? -1 : 1; }));
     }},
    {"thresholds",
     "-1 below t and +1 from t on, points read as numbers, t = 0 .. 2^n - 1",
     {bits(5, max_table_bits, "bits")},
     [](const Parameters& p) {
       return std::make_unique<TableClass>(tabulate(std::int64_t{1} << n_of(p), n_of(p),
                                                    [](std::int64_t t, Bits z) { return z < t ? -1 : 1; }));
     }},
    {"bent",
     "all shifts of z_1 z_2 + z_3 z_4 + .. (mod 2) on 2n bits",
     {bits(3, max_table_bits / 2, "half the bits")},
     [](const Parameters& p) {
       const int n = 2 * n_of(p);
       return std::make_unique<TableClass>(tabulate(std::int64_t{1} << n, n, [](std::int64_t shift, Bits z) {
         const Bits x = z ^ static_cast<Bits>(shift);
         return __builtin_parity(x & (x >> 1) & 0x55555555u) != 0 ? -1 : 1;
       }));
     }},
};

}  // namespace

std::span<const NamedClass> named_classes() {
  return classes;
}

std::unique_ptr<ConceptClass> make_class(const Spec& spec) {
  const NamedClass& found = find_named("class", spec.name, named_classes());
  return found.make(Parameters(spec, found.parameters));
}

}  // namespace hardhead::sq
