#include "learner/method.h"

#include <fmt/format.h>

#include "base/error.h"
#include "python/described.h"

namespace hardhead::python {

template <>
struct Members<learner::CurvePoint> {
  using T = learner::CurvePoint;
  static constexpr auto list = std::tuple(&T::seconds, &T::steps, &T::holdout_error);
};

/// Without what it estimated, as in a journal.
template <>
struct Members<learner::Phase> {
  using T = learner::Phase;
  static constexpr auto list =
      std::tuple(&T::name, &T::seconds, &T::examples, &T::rows_kept, &T::measures, &T::curve);
};

using learner::Method;
using learner::Phase;

namespace {

std::int64_t counting_bound(Whole<"d", 1, 1'000'000> d, Whole<"k", 1, 1'000'000> k,
                            Whole<"m", 1, 1'000'000> m) {
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
  Record<Phase> phase(module, "Phase", "One phase of a run.");
  add_described(phase);
  phase
      .field(
          "curve",
          [](const Phase& phase) {
            py::list out;
            for (const learner::CurvePoint& point : phase.curve)
              out.append(py::make_tuple(point.seconds, point.steps, point.holdout_error));
            return out;
          },
          "list[tuple[float, int, float]]")
      .pickled();
  module.def("counting_bound", counting_bound, "d"_a, "k"_a, "m"_a,
             "Least number of examples that can determine a layer.");
}

}  // namespace hardhead::python
