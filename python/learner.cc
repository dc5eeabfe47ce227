#include "learner/method.h"

#include <fmt/format.h>

#include "base/error.h"
#include "python/bindings.h"

namespace hardhead::python {

using attention::Index;
using learner::Method;
using learner::Phase;

namespace {

std::int64_t counting_bound(Index d, Index k, Index m) {
  constexpr Index most = 1'000'000;
  for (const auto& [name, value] : {std::pair{"d", d}, {"k", k}, {"m", m}})
    if (value < 1 || value > most)
      throw InputError(fmt::format("{} = {} is not in 1 .. {}", name, value, most));
  return learner::counting_bound(d, k, m);
}

}  // namespace

void bind_learner(py::module_& module) {
  Record<Method>(module, "Method", "A learner.")
      .field("name", &Method::name)
      .field("summary", &Method::summary)
      .field("guarantee", &Method::guarantee)
      .field("parameters", &Method::parameters);
  module.def("methods",
             [] { return std::vector<Method>(learner::methods().begin(), learner::methods().end()); });
  Record<Phase>(module, "Phase", "One phase of a run.")
      .field("name", &Phase::name)
      .field("seconds", &Phase::seconds)
      .field("examples", &Phase::examples)
      .field("rows_kept", &Phase::rows_kept)
      .field("measures",
             [](const Phase& phase) {
               py::dict out;
               for (const auto& [name, value] : phase.measures) out[py::str(name)] = value;
               return out;
             })
      .field("curve", [](const Phase& phase) {
        py::list out;
        for (const learner::CurvePoint& point : phase.curve)
          out.append(py::make_tuple(point.seconds, point.steps, point.holdout_error));
        return out;
      });
  module.def("counting_bound", counting_bound, "d"_a, "k"_a, "m"_a,
             "Least number of examples that can determine a layer.");
}

}  // namespace hardhead::python
