#include "base/error.h"
#include "base/numeric/rational.h"
#include "base/text/spec.h"
#include "hardness/families/family.h"
#include "lwe/problem/samples.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {
namespace {

void read_rational(std::string_view text) {
  try {
    const Rational x = parse_rational(text);
    require(parse_rational(to_string(x)) == x, "a rational comes back as it was");
    round_to_nearest(x);
  } catch (const Error&) {
  }
}

void read_recipe(const Spec& spec) {
  try {
    lwe::Recipe::parse(spec);
  } catch (const Error&) {
  }
}

}  // namespace

void read(std::string_view bytes) {
  read_rational(bytes);
  const Spec spec = Spec::parse(bytes);
  require(Spec::parse(spec.str()) == spec, "a spec comes back as it was");
  read_recipe(spec);
  if (!has_small_numbers(bytes) || hardness::runs_a_program(spec)) return;
  const hardness::Instance instance = hardness::make_instance(spec);
  const hardness::Instance again = hardness::make_instance(Spec::parse(instance.spec.str()));
  require(again.spec == instance.spec && again.digest == instance.digest,
          "the canonical spec makes the same instance");
}

}  // namespace hardhead::fuzz
