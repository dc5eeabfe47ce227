#include <fmt/format.h>

#include "attention/forward/block.h"
#include "base/error.h"
#include "hardness/challenge/any_challenge.h"
#include "hardness/challenge/challenge_file.h"
#include "hardness/challenge/ladder.h"
#include "hardness/challenge/make.h"
#include "python/described.h"
#include "python/samples.h"

namespace hardhead::python {
namespace {

using attention::Layer;
using challenge::Answer;
using challenge::AnyChallenge;
using challenge::KnownAnswer;
using challenge::LayerChallenge;
using challenge::Published;
using challenge::Rung;
using challenge::Verdict;

Published publish(const SpecOrText& spec, const Path<"file">& file, std::optional<Examples> examples,
                  const std::optional<Path<"keep">>& keep) {
  const challenge::PublishOptions options{.spec = spec_of(spec).str(),
                                          .examples = value_of(examples),
                                          .file = file.value,
                                          .keep = keep ? keep->value : ""};
  return interruptibly([&](const RunContext& context) { return challenge::publish(options, context); });
}

/// Predicted labels [N, k, d], or a secret.
Answer answer_of(const py::object& given, const LayerChallenge& challenge) {
  if (py::isinstance<Layer>(given)) return given.cast<Layer>();
  const py::array array = array_of("answer", given);
  if (array.ndim() == 1 && challenge.terms.behind_switch) {
    std::vector<lwe::Residue> secret;
    for (const std::int64_t number :
         integers_of("answer", array, 0, challenge.terms.behind_switch->problem.q - 1, "not a residue mod q"))
      secret.push_back(static_cast<lwe::Residue>(number));
    return secret;
  }
  const auto numbers = dense_numbers_of("answer", given);
  const std::array<py::ssize_t, 3> shape{challenge.test_examples, challenge.terms.k, challenge.terms.d};
  if (numbers.ndim() != 3 || !std::equal(shape.begin(), shape.end(), numbers.shape()))
    throw InputError(
        fmt::format("answer has shape {}, but ({}, {}, {}) is expected: the labels of all test inputs{}",
                    std::string(py::str(numbers.attr("shape"))), shape[0], shape[1], shape[2],
                    challenge.terms.behind_switch ? ", or the numbers of a secret" : ""));
  return challenge::Predictions{{numbers.data(), numbers.data() + numbers.size()}};
}

Verdict verdict_on(const Path<"challenge">& path, const py::object& answer) {
  const AnyChallenge of = interruptibly([&](const RunContext&) { return AnyChallenge::open(path.value); });
  if (py::isinstance<py::str>(answer) || py::hasattr(answer, "__fspath__")) {
    const auto file = answer.cast<Path<"answer">>();
    return interruptibly([&](const RunContext&) { return of.check(file.value); });
  }
  if (!of.layer)
    throw InputError(
        fmt::format("'{}' has plain samples: the path of a solution is expected, or "
                    "lwe.verify(lwe.Challenge.load(..), secret)",
                    path.value));
  const Answer given = answer_of(answer, *of.layer);
  return interruptibly([&](const RunContext&) { return challenge::verify(*of.layer, given); });
}

Samples training(const Path<"challenge">& path) {
  return {interruptibly([&](const RunContext&) {
    return std::shared_ptr(challenge::training_examples(challenge::read_layer_challenge(path.value)));
  })};
}

py::array_t<double> test_inputs(const Path<"challenge">& path) {
  const attention::Block tests = interruptibly(
      [&](const RunContext&) { return challenge::test_inputs(challenge::read_layer_challenge(path.value)); });
  py::array_t<double> out({tests.count, tests.k, tests.d()});
  attention::write_as_array(tests.x, tests.k, out.mutable_data());
  return out;
}

lwe::Challenge equations(const Path<"challenge">& path, std::optional<Examples> count) {
  return interruptibly([&](const RunContext&) {
    const LayerChallenge of = challenge::read_layer_challenge(path.value);
    return challenge::training_samples(of, value_of(count).value_or(of.examples));
  });
}

std::vector<Rung> ladder(const Path<"folder">& folder) {
  return interruptibly(
      [&](const RunContext& context) { return challenge::read_ladder(folder.value, context); });
}

}  // namespace

void bind_challenges(py::module_& module) {
  Record<Published> published(module, "Published", "What `make` has written.");
  add_described(published);
  Record<Verdict> verdict(module, "Verdict", "Whether an answer is right, and why.");
  add_described(verdict);
  Record<KnownAnswer> known(module, "KnownAnswer", "An answer that a folder's solved.json lists.");
  add_described(known);
  Record<Rung> rung(module, "Rung", "One challenge of a folder.");
  add_described(rung);
  module.def("make", &publish, "spec"_a, "file"_a, py::kw_only(), "examples"_a = py::none(),
             "keep"_a = py::none(),
             "Hides a layer of `parity:d=12,m=3` and the like behind so many training examples, or with "
             "samples=N a secret behind plain samples. The secret comes from the operating system's entropy; "
             "`keep` is a file for it.");
  module.def("verify", &verdict_on, "challenge"_a, "answer"_a,
             "The answer: a file, a Layer, labels of all test inputs [N, k, d], or the numbers of a secret.");
  module.def("training", &training, "challenge"_a, "The training examples, for any learner.");
  module.def("test_inputs", &test_inputs, "challenge"_a, "[N, k, d], without labels.");
  module.def("equations", &equations, "challenge"_a, "count"_a = py::none(),
             "The first `count` training examples as an lwe.Challenge, for the attacks of lwe.");
  module.def("ladder", &ladder, "folder"_a, "The challenges of a folder; every answer is checked anew.");
}

}  // namespace hardhead::python
