#include "base/numeric/simd.h"
#include "python/bindings.h"

PYBIND11_MODULE(_core, module) {
  using namespace hardhead::python;
  // What is bound belongs to the package, whose file __init__.py takes it from here.
  const py::object own_name = module.attr("__name__");
  module.attr("__name__") = "hardhead";
  const py::object environment = py::module_::import("os").attr("environ");
  hardhead::choose_simd_target_named(environment.attr("get")("HARDHEAD_SIMD", "").cast<std::string>());
  bind_base(module);
  bind_attention(module);
  bind_checkpoint(module);
  bind_hardness(module);
  bind_own_families(module);
  bind_own_learners(module);
  bind_learner(module);
  bind_run(module);
  bind_study(module);
  bind_experiments(module);
  py::module_ sq = module.def_submodule("sq", "Statistical queries: dimensions, bounds, games.");
  bind_sq(sq);
  py::module_ lwe =
      module.def_submodule("lwe", "LWE, LWR and LPN: samples and attacks with verified witnesses.");
  bind_lwe(lwe);
  py::module_ challenge = module.def_submodule(
      "challenge", "Hidden layers and secrets for others to find, and answers to check.");
  bind_challenges(challenge);
  settle(module);
  module.attr("__name__") = own_name;
}
