#include "lwe/lwe.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "python/bindings.h"
#include "python/own_call.h"

namespace hardhead::python {

template <>
struct Members<lwe::Cost> {
  using T = lwe::Cost;
  static constexpr auto list = std::tuple(&T::not_applicable, &T::seconds, &T::memory_bytes, &T::samples,
                                          &T::success, &T::beyond, &T::block, &T::dimension);
};

template <>
struct Members<lwe::Verification> {
  using T = lwe::Verification;
  static constexpr auto list = std::tuple(&T::in_secret_space, &T::fits, &T::largest_residual,
                                          &T::residual_rms, &T::log2_impostors, &T::message);
};

template <>
struct Members<lwe::AttackReport> {
  using T = lwe::AttackReport;
  static constexpr auto list = std::tuple(&T::method, &T::outcome, &T::secret, &T::verification,
                                          &T::predicted, &T::seconds, &T::message);
};

template <>
struct Members<lwe::ProblemParameters> {
  using T = lwe::ProblemParameters;
  static constexpr auto list =
      std::tuple(&T::problem, &T::n, &T::q, &T::secret, &T::weight, &T::secret_eta, &T::secret_sigma,
                 &T::noise, &T::sigma, &T::eta, &T::p, &T::rounding, &T::rate);
};

template <>
struct Members<lwe::Samples> {
  using T = lwe::Samples;
  static constexpr auto list = std::tuple(&T::n, &T::a, &T::b);
};

template <>
struct Members<lwe::Challenge> {
  using T = lwe::Challenge;
  static constexpr auto list = std::tuple(&T::parameters, &T::samples, &T::rounding_known, &T::notes);
};

namespace {

using lwe::Attack;
using lwe::AttackReport;
using lwe::Challenge;
using lwe::Cost;
using lwe::Recipe;
using lwe::Residue;
using lwe::Verification;

/// An attack's name with what it is predicted to cost.
struct Estimate {
  std::string method;
  Cost cost;
};

}  // namespace

template <>
struct Members<Estimate> {
  using T = Estimate;
  static constexpr auto list = std::tuple(&T::method, &T::cost);
};

namespace {

Challenge generate(const SpecOrText& spec) {
  const Recipe recipe = Recipe::parse(spec_of(spec));
  return interruptibly([&](const RunContext& context) {
    const lwe::Sampler sampler(recipe.parameters, recipe.seed);
    Challenge out{recipe.parameters, {recipe.parameters.n, {}, {}}};
    constexpr std::int64_t at_once = 4096;
    for (std::int64_t first = 0; first < recipe.samples; first += at_once) {
      context.stop.check();
      const lwe::Samples some = sampler.draw(first, std::min(at_once, recipe.samples - first));
      out.samples.a.insert(out.samples.a.end(), some.a.begin(), some.a.end());
      out.samples.b.insert(out.samples.b.end(), some.b.begin(), some.b.end());
    }
    return out;
  });
}

std::vector<Residue> residues_of(const char* name, const py::array& array) {
  std::vector<Residue> out;
  for (const std::int64_t number : integers_of(name, array, 0, std::numeric_limits<Residue>::max(),
                                               "not a residue: an integer in 0 .. q - 1"))
    out.push_back(static_cast<Residue>(number));
  return out;
}

py::array_t<Residue> array_of_residues(const std::vector<Residue>& numbers) {
  return py::array_t<Residue>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

Challenge challenge_of(const SpecOrText& spec, const py::object& a_given, const py::object& b_given) {
  const Recipe recipe = Recipe::parse(spec_of(spec));
  const py::array a = array_of("a", a_given), b = array_of("b", b_given);
  if (a.ndim() != 2 || b.ndim() != 1 || a.shape(0) != b.shape(0) || a.shape(1) != recipe.parameters.n)
    throw InputError(fmt::format("a has shape {} and b {}, but (N, {}) and (N,) are expected",
                                 std::string(py::str(a.attr("shape"))), std::string(py::str(b.attr("shape"))),
                                 recipe.parameters.n));
  Challenge out{recipe.parameters, {recipe.parameters.n, residues_of("a", a), residues_of("b", b)}};
  lwe::check_samples(out.parameters, out.samples);
  return out;
}

/// Numbers where they lie, not to be written to.
py::array view(const std::vector<Residue>& numbers, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array_t<Residue> out(std::move(shape), numbers.data(), owner);
  out.attr("setflags")("write"_a = false);
  return out;
}

using TimeLimit = Real<"time_limit", Reals::limit>;

/// An attack that is a function of the caller's: function(challenge) returns the numbers of a secret, from -q
/// + 1 on, or None. What it raises ends the run. `function` has to outlive it.
Attack attack_by(const py::object& function) {
  const std::string name =
      py::str(py::getattr(function, "__name__", py::type::of(function).attr("__name__")));
  return lwe::own_attack(
      name, [&function, name](const Challenge& challenge, const RunContext& context, std::string& message) {
        std::optional<std::vector<Residue>> out;
        call_python(name, context.stop, true, [&] {
          const py::object said = function(challenge);
          if (said.is_none()) return;
          const auto q = static_cast<std::int64_t>(challenge.parameters.q);
          const std::string what = "what " + name + " returned";
          out.emplace();
          for (const std::int64_t number :
               integers_of(what.c_str(), array_of(what.c_str(), said), 1 - q, q - 1, "not a residue mod q"))
            out->push_back(static_cast<Residue>(number < 0 ? number + q : number));
        });
        message = out ? name + " returned a secret" : name + " found no secret";
        return out;
      });
}

AttackReport attack(const Challenge& challenge, const py::object& method, TimeLimit time_limit) {
  const Attack chosen = PyCallable_Check(method.ptr()) != 0
                            ? attack_by(method)
                            : lwe::attack_of(parse_learner(method.cast<Text<"method">>().value));
  return interruptibly(
      [&](const RunContext& context) { return lwe::attack(challenge, chosen, time_limit, context); });
}

std::vector<AttackReport> attack_auto(const Challenge& challenge, TimeLimit time_limit) {
  return interruptibly(
      [&](const RunContext& context) { return lwe::attack_auto(challenge, time_limit, context); });
}

std::vector<Estimate> estimate(const SpecOrText& spec) {
  const Recipe recipe = Recipe::parse(spec_of(spec));
  std::vector<Estimate> out;
  for (const Attack& method : lwe::attacks())
    out.push_back({method.name, lwe::predicted_cost(method, recipe.parameters, recipe.samples)});
  return out;
}

void save(const Challenge& challenge, const Path<>& path_given) {
  const std::string& path = path_given;
  if (path.ends_with(".txt")) return lwe::write_darmstadt(path, challenge);
  if (path.ends_with(".json")) return lwe::write_json_challenge(path, challenge);
  throw InputError(fmt::format("'{}': the ending picks the format, .json or .txt (Darmstadt)", path));
}

Verification verify(const Challenge& challenge, const py::object& secret) {
  const std::vector<Residue> numbers = residues_of("secret", array_of("secret", secret));
  return interruptibly([&](const RunContext&) { return lwe::verify(challenge, numbers); });
}

void bind_challenge(py::module_& module) {
  py::class_<Challenge> challenge(
      module, "Challenge", "Samples (a, b) of LWE, LWR or LPN with their parameters; never the secret.");
  pickled_by_members(challenge);
  challenge
      .def(py::init(&challenge_of), "spec"_a, "a"_a, "b"_a,
           "From arrays a [N, n] and b [N], whose numbers are copied; `spec` gives the parameters.")
      .def_static(
          "load",
          [](const Path<>& path) {
            return interruptibly([&](const RunContext&) { return lwe::read_challenge(path.value); });
          },
          "path"_a, "Reads JSON or Darmstadt text.")
      .def("save", &save, "path"_a, "Writes .json, or .txt (Darmstadt text).")
      .def_property_readonly("problem", [](const Challenge& c) { return name_of(c.parameters.problem); })
      .def_property_readonly("n", [](const Challenge& c) { return c.parameters.n; })
      .def_property_readonly("q", [](const Challenge& c) { return c.parameters.q; })
      .def_property_readonly(
          "a",
          [](const py::object& self) {
            const auto& samples = self.cast<const Challenge&>().samples;
            return view(samples.a, {samples.count(), samples.n}, self);
          },
          "[N, n], where they lie, read-only")
      .def_property_readonly(
          "b",
          [](const py::object& self) {
            const auto& samples = self.cast<const Challenge&>().samples;
            return view(samples.b, {samples.count()}, self);
          },
          "[N], likewise")
      .def_property_readonly("digest", [](const Challenge& c) { return lwe::content_digest(c); })
      .def("__repr__", [](const Challenge& c) {
        return fmt::format("Challenge(problem='{}', n={}, q={}, samples={})", name_of(c.parameters.problem),
                           c.parameters.n, c.parameters.q, c.samples.count());
      });
  module.def("generate", &generate, "spec"_a,
             "Samples of `lwe:n=40,q=12289,sigma=3.2,samples=80,seed=1` and the like.");
  module.def(
      "secret",
      [](const SpecOrText& spec) {
        const Recipe recipe = Recipe::parse(spec_of(spec));
        return array_of_residues(lwe::draw_secret(recipe.parameters, recipe.seed));
      },
      "spec"_a, "The secret that generate() hides.");
}

void bind_attacks(py::module_& module) {
  Record<Attack>(module, "Attack", "An attack.")
      .field("name", &Attack::name)
      .field("summary", &Attack::summary)
      .field("guarantee", &Attack::guarantee);
  module.def("attacks", [] { return std::vector<Attack>(lwe::attacks().begin(), lwe::attacks().end()); });
  Record<Estimate>(module, "Estimate", "What an attack is predicted to cost, or why it cannot work.")
      .field("method", &Estimate::method)
      .field("not_applicable", [](const Estimate& e) { return e.cost.not_applicable; })
      .field("seconds", [](const Estimate& e) { return e.cost.seconds; })
      .field("memory_bytes", [](const Estimate& e) { return e.cost.memory_bytes; })
      .field("log2_operations", [](const Estimate& e) { return e.cost.log2_operations(); })
      .field("success", [](const Estimate& e) { return e.cost.success; })
      .field("block", [](const Estimate& e) { return e.cost.block; })
      .field("dimension", [](const Estimate& e) { return e.cost.dimension; })
      .field("beyond", [](const Estimate& e) { return e.cost.beyond; })
      .field("samples", [](const Estimate& e) { return e.cost.samples; })
      .pickled();
  module.def("estimate", &estimate, "spec"_a, "Of every attack.");

  Record<Verification>(module, "Verification", "What a claimed secret says of samples, in exact arithmetic.")
      .field("verified", &Verification::verified)
      .field("in_secret_space", &Verification::in_secret_space)
      .field("fits", &Verification::fits)
      .field("largest_residual", &Verification::largest_residual)
      .field("residual_rms", &Verification::residual_rms)
      .field("log2_impostors", &Verification::log2_impostors)
      .field("message", &Verification::message)
      .pickled();
  module.def("verify", &verify, "challenge"_a, "secret"_a);

  Record<AttackReport>(module, "AttackReport", "How an attack went; `secret` is a verified witness or None.")
      .field("method", &AttackReport::method)
      .field("outcome", [](const AttackReport& r) { return name_of(r.outcome); })
      .field("secret",
             [](const AttackReport& r) -> py::object {
               if (!r.solved()) return py::none();
               return array_of_residues(r.secret);
             })
      .field("verification", &AttackReport::verification)
      .field("predicted_seconds",
             [](const AttackReport& r) {
               return r.predicted.is_predicted() ? std::optional(r.predicted.seconds) : std::nullopt;
             })
      .field("seconds", &AttackReport::seconds)
      .field("message", &AttackReport::message)
      .pickled()
      .python()
      .def_property_readonly("solved", &AttackReport::solved);
  module.def(
      "attack", &attack, "challenge"_a, "method"_a, "time_limit"_a = 600.0,
      "Recovers the secret by one attack: its name, 'exec:COMMAND' for a program of yours (docs/lwe.md), or "
      "a function of yours, f(challenge) -> the secret or None.");
  module.def("attack_auto", &attack_auto, "challenge"_a, "time_limit"_a = 600.0,
             "Tries the attacks that apply, cheapest first, until one solves it; one report an attempt.");
}

}  // namespace

void bind_lwe(py::module_& module) {
  bind_challenge(module);
  bind_attacks(module);
}

}  // namespace hardhead::python
