// Names with options on the command line, other than instances: learners and classes of concepts.
#include "base/error.h"
#include "hardness/concepts/named_class.h"
#include "learner/learner.h"
#include "study/run/run.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {
namespace {

void read_learner(std::string_view bytes) {
  const Spec method = parse_learner(bytes);
  require(parse_learner(method.str()) == method, "a method comes back as it was");
  const Spec canonical = learner::Learner(method).options();
  require(learner::Learner(canonical).options() == canonical, "a canonical method is canonical");
}

void read_class(std::string_view bytes) {
  if (!has_small_numbers(bytes)) return;
  const auto members = hardness::make_class(Spec::parse(bytes));
  require(members->size() > 0, "a class has members");
  members->member(members->size() - 1);
}

}  // namespace

void read(std::string_view bytes) {
  for (const auto& reader : {read_learner, read_class}) try {
      reader(bytes);
    } catch (const Error&) {
    }
}

}  // namespace hardhead::fuzz
