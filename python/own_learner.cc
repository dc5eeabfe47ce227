#include "python/own_learner.h"

#include <fmt/format.h>
#include <pybind11/functional.h>

#include <map>
#include <shared_mutex>

#include "attention/forward/single_block.h"
#include "base/error.h"
#include "learner/method.h"
#include "learner/oracle/value_oracle.h"
#include "python/own_call.h"
#include "python/samples.h"

namespace hardhead::python {

using attention::Block;
using attention::Index;
using attention::Layer;
using attention::SampleSource;
using learner::Learner;
using learner::Method;

/// Which examples were read: ranges that do not touch, by their first.
struct BudgetedSource::Ledger {
  std::shared_mutex reading;  ///< shared by readers; whoever closes has it alone
  const SampleSource* source = nullptr;

  std::mutex mutex;  ///< of what follows
  std::map<std::int64_t, std::int64_t> ends;
  std::int64_t used = 0;

  void add(std::int64_t first, std::int64_t end) {
    const std::lock_guard lock(mutex);
    auto at = ends.upper_bound(first);
    if (at != ends.begin() && std::prev(at)->second >= first) --at;
    while (at != ends.end() && at->first <= end) {
      first = std::min(first, at->first);
      end = std::max(end, at->second);
      used -= at->second - at->first;
      at = ends.erase(at);
    }
    ends.emplace(first, end);
    used += end - first;
  }
};

BudgetedSource::BudgetedSource(const SampleSource& source, std::int64_t budget)
    : d_(source.d()),
      k_(source.k()),
      inputs_(source.inputs()),
      budget_(std::min(budget, source.size())),
      ledger_(std::make_shared<Ledger>()) {
  ledger_->source = &source;
}
BudgetedSource::BudgetedSource(const BudgetedSource& of, std::shared_ptr<Ledger> ledger)
    : d_(of.d_),
      k_(of.k_),
      inputs_(of.inputs_),
      budget_(of.budget_),
      counts_(false),
      ledger_(std::move(ledger)) {}
BudgetedSource::~BudgetedSource() = default;

std::shared_ptr<const SampleSource> BudgetedSource::uncounted() const {
  return std::shared_ptr<const SampleSource>(new BudgetedSource(*this, ledger_));
}

void BudgetedSource::check(std::int64_t first, std::int64_t count) const {
  if (first < 0 || count < 0 || first > budget_ - count)
    throw BudgetError(
        fmt::format("examples {} .. {}: the budget is {} examples", first, first + count - 1, budget_));
}

void BudgetedSource::count(std::int64_t first, std::int64_t count) const {
  check(first, count);
  if (ledger_->source == nullptr)
    throw InputError("examples of a run that is over: keep the arrays that are needed later");
  if (counts_ && count > 0) ledger_->add(first, first + count);
}

void BudgetedSource::read(std::int64_t first, Block& block) const {
  const std::shared_lock lock(ledger_->reading);
  count(first, block.count);
  ledger_->source->read(first, block);
}

void BudgetedSource::pick(std::span<const std::int64_t> examples, Block& block) const {
  const std::shared_lock lock(ledger_->reading);
  for (const std::int64_t example : examples) count(example, 1);
  ledger_->source->pick(examples, block);
}

bool BudgetedSource::read_single(const attention::Examples& examples, attention::SingleBlock& block) const {
  const std::shared_lock lock(ledger_->reading);
  if (examples.listed().empty()) count(examples[0], block.count);
  for (const std::int64_t example : examples.listed()) count(example, 1);
  return ledger_->source->read_single(examples, block);
}

void BudgetedSource::close() {
  const std::unique_lock lock(ledger_->reading);
  ledger_->source = nullptr;
}

std::int64_t BudgetedSource::used() const {
  const std::lock_guard lock(ledger_->mutex);
  return ledger_->used;
}

namespace {

/// A function of Python's with what it is called by; objects go with Python's lock.
struct OwnFunction {
  std::string name;
  py::object call;      ///< call(samples or oracle, heads, examples, seed, settings): a Layer or a predictor
  bool raises = false;  ///< what it raises ends the call that has it run; else it is the run's outcome
};

std::shared_ptr<const OwnFunction> shared(OwnFunction function) {
  return {new OwnFunction(std::move(function)), [](const OwnFunction* given) {
            if (Py_IsInitialized() == 0) return;  // its objects went with the interpreter
            const py::gil_scoped_acquire acquire;
            delete given;
          }};
}

/// Values of a layer at chosen X, as a learner of the user's asks them, for as long as its run lasts.
struct OwnOracle {
  learner::ValueOracle* values = nullptr;
  std::optional<std::int64_t> overdrawn{};  ///< the budget, once more was asked for

  learner::ValueOracle& open() const {
    if (values == nullptr) throw InputError("values of a run that is over");
    return *values;
  }

  py::array_t<double> ask(const py::object& given) {
    const auto x = dense_numbers_of("x", given);
    if (x.ndim() != 3) throw InputError(fmt::format("x has {} axes, but (N, k, d) is expected", x.ndim()));
    Block block(x.shape(2), x.shape(1), x.shape(0));
    const auto in = x.unchecked<3>();
    for (Index n = 0; n < block.count; ++n)
      for (Index a = 0; a < block.k; ++a)
        for (Index f = 0; f < block.d(); ++f) block.x(f, block.column(a, n)) = in(n, a, f);
    try {
      open().ask(block);
    } catch (const learner::OutOfQueries& spent) {
      overdrawn = spent.budget;
      throw BudgetError(fmt::format("{} queries more than the {} asked so far: the budget is {} queries",
                                    block.count, values->account().queries(), spent.budget));
    } catch (const learner::BadAnswer& answer) {
      throw InputError(answer.message);
    }
    py::array_t<double> out({x.shape(0), x.shape(1), x.shape(2)});
    attention::write_as_array(block.y, block.k, out.mutable_data());
    return out;
  }
};

/// What a function of Python's says of tokens.
learner::Predictor predictor_of(std::shared_ptr<const OwnFunction> own, py::object answer) {
  const auto function = shared({own->name, std::move(answer)});
  return [own, function](const SampleSource& tokens, std::int64_t count,
                         const RunContext& context) -> learner::Answers {
    std::shared_ptr<const SampleSource> said;
    call_python(own->name, context.stop, own->raises, [&] {
      const Samples all{{std::shared_ptr<const SampleSource>(), &tokens}};
      const py::object x = py::tuple(py::cast(all).attr("read")(0, count))[0];
      said = samples_of_arrays(x, function->call(x), std::nullopt).source;
    });
    return [said](std::int64_t first, Block& block) {
      Block own_block(block.d(), block.k, block.count);
      said->read(first, own_block);
      block.y = own_block.y;
    };
  };
}

py::dict dict_of(const Spec& settings) {
  py::dict out;
  for (const auto& [key, value] : settings.values) out[py::str(key)] = value;
  return out;
}

/// Has a function learn from `source`, and takes what it hands back into the report. With Python's lock.
void take_answer(const std::shared_ptr<const OwnFunction>& function, const py::object& source,
                 const learner::Task& task, const Spec& settings, Index d, learner::Report& report) {
  py::object examples = py::none();
  if (task.examples && *task.examples != SampleSource::unlimited) examples = py::cast(*task.examples);
  const py::object answer = function->call(source, task.heads, examples, task.seed, dict_of(settings));
  if (!py::isinstance<Layer>(answer)) {
    report.predictor = predictor_of(function, answer);
    report.message = "A function of Python's handed back predictions.";
    return;
  }
  const auto& layer = answer.cast<const Layer&>();
  if (layer.d != d)
    throw InputError(
        fmt::format("{} hands back a layer of d = {}, the tokens have d = {}", function->name, layer.d, d));
  report.layer = layer;
  report.message = fmt::format("A function of Python's handed back a layer with {} {}.", report.layer->m(),
                               report.layer->m() == 1 ? "head" : "heads");
}

class OwnExamples final : public learner::ExampleAlgorithm {
 public:
  OwnExamples(std::shared_ptr<const OwnFunction> function, Spec settings)
      : function_(std::move(function)), settings_(std::move(settings)) {}

  learner::Told told() const override { return learner::Told::unknown; }
  std::int64_t default_examples(learner::ExampleShape, const learner::Task&) const override {
    return SampleSource::unlimited;
  }
  std::int64_t least_examples(learner::ExampleShape, const learner::Task&) const override { return 1; }
  /// Its memory is its own affair.
  learner::RunMemory predicted_memory(learner::ExampleShape, const learner::Task&) const override {
    return {};
  }

  void run(const learner::Run& run) const override {
    const auto given = std::make_shared<BudgetedSource>(run.source, run.examples());
    learner::Report& report = run.recorder.report();
    run.recorder.phase(
        "python", 0,
        [&](learner::Phase&) {
          call_python(function_->name, run.context.stop, function_->raises, [&] {
            take_answer(function_, py::cast(Samples{given}), run.task, settings_, run.d(), report);
          });
        },
        [&](learner::Phase& phase) {
          given->close();
          phase.examples = report.examples_used = given->used();
        });
  }

 private:
  std::shared_ptr<const OwnFunction> function_;
  Spec settings_;
};

class OwnValues final : public learner::ValueAlgorithm {
 public:
  OwnValues(std::shared_ptr<const OwnFunction> function, Spec settings)
      : function_(std::move(function)), settings_(std::move(settings)) {}

  learner::Told told() const override { return learner::Told::unknown; }
  learner::Needs needs() const override { return {.adapts = true}; }

  void run(const learner::ValueRun& run) const override {
    const auto oracle = std::make_shared<OwnOracle>(OwnOracle{run.values});
    learner::Report& report = run.recorder.report();
    const auto body = [&](learner::Phase&) {
      try {
        call_python(function_->name, run.context.stop, function_->raises, [&] {
          take_answer(function_, py::cast(oracle), run.task, settings_, run.values->d(), report);
        });
      } catch (const learner::Failed&) {
        if (oracle->overdrawn) throw learner::OutOfQueries{*oracle->overdrawn};
        throw;
      }
    };
    run.recorder.phase("python", 0, body, [&](learner::Phase&) { oracle->values = nullptr; });
  }

 private:
  std::shared_ptr<const OwnFunction> function_;
  Spec settings_;
};

/// What one setting of a ladder says: keywords, and the examples allowed.
using Setting = std::pair<std::vector<std::pair<std::string, std::string>>, std::optional<Examples>>;

/// A rung's settings have one number of examples.
learner::Rung rung_of(const std::shared_ptr<const Method>& method, const std::vector<Setting>& settings) {
  learner::Rung out;
  for (const auto& [options, examples] : settings) {
    out.settings.push_back(Learner::of(method, {method->name, options}));
    out.examples = value_of(examples);
  }
  return out;
}

Learner own_learner(const std::string& name, const py::function& call, bool values, bool raises,
                    const std::vector<std::vector<Setting>>& ladder) {
  const auto function = shared({fmt::format("'{}'", name), call, raises});
  const auto method = std::make_shared<Method>();
  method->name = name;
  method->told = learner::Told::unknown;
  method->access = values ? learner::Access::values : learner::Access::examples;
  method->configure = [function, values](const Spec& spec) -> std::shared_ptr<const learner::Algorithm> {
    if (values) return std::make_shared<OwnValues>(function, spec);
    return std::make_shared<OwnExamples>(function, spec);
  };
  method->canonical = [](const Spec& spec) { return spec; };
  if (!ladder.empty())
    method->ladder = [weak = std::weak_ptr<const Method>(method), ladder](const Spec&, double) {
      std::vector<learner::Rung> out;
      for (const std::vector<Setting>& settings : ladder) out.push_back(rung_of(weak.lock(), settings));
      return out;
    };
  return Learner::of(method, {name, {}});
}

/// Throws InputError for a name that cannot tell a learner from all others in tables and journals.
void check_name(const std::string& name) {
  const std::string first = name.substr(0, name.find(':'));
  if (name.empty() || std::ranges::any_of(name, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    throw InputError(fmt::format("name = '{}': one line of text is expected", name));
  if (std::ranges::any_of(learner::methods(), [&](const auto& known) { return known.name == first; }))
    throw InputError(fmt::format("a function named '{}': a learner of the library has that name", name));
}

}  // namespace

void bind_own_learners(py::module_& module) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Stopped& stopped) {
      PyErr_SetString(ended_type(), stopped.reason.c_str());
    }
  });
  module.attr("_Ended") = py::handle(ended_type());
  py::class_<Learner>(module, "_Learner").def("__str__", &Learner::str);
  module.def("_own_learner", &own_learner);
  module.def("_check_name", [](const Text<"name">& name) { check_name(name.value); });
  py::class_<OwnOracle, std::shared_ptr<OwnOracle>>(
      module, "Oracle", "Values F(X) at chosen X, as a learner of your own asks them: oracle(x).")
      .def(
          "__call__", &OwnOracle::ask, "x"_a,
          "F(X) for tokens [N, k, d]: N queries. Raises BudgetError beyond the budget, InputError for X that "
          "cannot be asked.")
      .def_property_readonly(
          "d", [](const OwnOracle& o) { return o.open().d(); }, "features of a token")
      .def_property_readonly(
          "tokens", [](const OwnOracle& o) { return o.open().domain().tokens; },
          "tokens of every X; None: any number")
      .def_property_readonly(
          "boolean", [](const OwnOracle& o) { return o.open().domain().boolean_only; },
          "whether entries other than -1 and +1 have no answer")
      .def_property_readonly(
          "tau", [](const OwnOracle& o) { return o.open().tau(); },
          "how far an entry of an answer may be off")
      .def_property_readonly(
          "queries", [](const OwnOracle& o) { return o.open().account().queries(); }, "asked so far")
      .def_property_readonly(
          "budget", [](const OwnOracle& o) { return o.open().account().budget(); },
          "the most queries; None: no limit");
}

}  // namespace hardhead::python

namespace pybind11::detail {

bool type_caster<hardhead::python::LearnerArgument>::load(handle given, bool convert) {
  using hardhead::learner::Learner;
  if (isinstance<Learner>(given)) {
    value.given = given.cast<const Learner&>();
    return true;
  }
  type_caster<hardhead::python::SpecOrText> spec;
  if (!spec.load(given, convert)) return false;
  value.given = Learner(hardhead::python::learner_of(static_cast<hardhead::python::SpecOrText&>(spec)));
  return true;
}

}  // namespace pybind11::detail
