#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "attention/files/data_file.h"
#include "base/error.h"
#include "base/text/quoted.h"
#include "base/text/record_json.h"
#include "hardness/challenge/any_challenge.h"
#include "hardness/challenge/challenge_file.h"
#include "hardness/challenge/ladder.h"
#include "hardness/challenge/make.h"
#include "lwe/files/instance_file.h"
#include "study/report/json.h"
#include "study/sweep/forecast.h"

namespace hardhead::app {
namespace {

using challenge::AnyChallenge;

struct MakeOptions {
  CommonOptions common;
  challenge::PublishOptions publish;
};

struct DataOptions {
  CommonOptions common;
  std::string challenge, output;
  std::optional<std::int64_t> count;
  bool test = false;  ///< the test inputs
};

struct CheckOptions {
  CommonOptions common;
  std::vector<std::string> files;  ///< a challenge and an answer, or a folder; none for the default one
};

Answer run_make(const MakeOptions& options, const RunContext& context) {
  if (!options.publish.examples && Spec::parse(options.publish.spec).value("samples") == nullptr)
    throw InputError("challenge make: --count says how many training examples a layer has");
  const challenge::Published made = challenge::publish(options.publish, context);
  if (options.common.json) return {text_of(report::report_json("challenge", record_to_json(made)))};
  return {fmt::format("wrote {}: {}, {}. {}\n", on_one_line(made.file), made.spec,
                      counted(made.examples, "example"),
                      made.keep.empty() ? "The secret is kept nowhere."
                                        : fmt::format("The secret is in {}.", on_one_line(made.keep)))};
}

void write_test_inputs(const std::string& path, const challenge::LayerChallenge& from) {
  using attention::DType;
  const attention::Block tests = challenge::test_inputs(from);
  std::vector<double> x(static_cast<std::size_t>(tests.x.size()));
  attention::write_as_array(tests.x, tests.k, x.data());
  const DType dtype = attention::are_signs(from.terms.inputs) ? DType::i8 : DType::f64;
  attention::SafetensorsWriter writer(path, {{"x", dtype, {tests.count, tests.k, tests.d()}}}, {});
  writer.write(0, 0, x);
  writer.commit();
}

Answer run_data(const DataOptions& options, const RunContext& context) {
  const challenge::LayerChallenge from = challenge::read_layer_challenge(options.challenge);
  if (options.test && options.count)
    throw InputError(fmt::format("--count {}: --test writes all test inputs", *options.count));
  std::int64_t count = options.test ? from.test_examples : options.count.value_or(from.examples);
  if (!options.test && count > from.examples)
    throw InputError(fmt::format("--count {}: the challenge has {} training examples", count, from.examples));
  if (options.test)
    challenge::check_ending(options.output, {".safetensors"});
  else
    challenge::check_ending(options.output, {".safetensors", ".json"});
  check_writable(options.output);
  std::string what = "example";
  if (options.test) {
    write_test_inputs(options.output, from);
    what = "test input";
  } else if (options.output.ends_with(".json")) {
    const lwe::Challenge samples = challenge::training_samples(from, count);
    lwe::write_json_challenge(options.output, samples);
    count = samples.samples.count();
    what = "sample";
  } else {
    attention::write_data(options.output, *challenge::training_examples(from), count, {}, context);
  }
  if (options.common.json)
    return {text_of(report::report_json(
        "challenge",
        {{"file", options.output}, {"challenge", options.challenge}, {"kind", what}, {"count", count}}))};
  return {fmt::format("wrote {}: {} of {}\n", on_one_line(options.output), counted(count, what),
                      from.terms.spec.str())};
}

/// "unsolved", or what solved it; an answer of the list that is wrong is said to be.
std::string solved_by(const challenge::Rung& rung) {
  std::vector<std::string> out;
  for (const challenge::KnownAnswer& known : rung.answers)
    out.push_back(known.right             ? known.by
                  : known.problem.empty() ? known.by + " (WRONG ANSWER)"
                                          : fmt::format("{} (NO ANSWER: {})", known.by, known.problem));
  return out.empty() ? "unsolved" : fmt::format("{}", fmt::join(out, "; "));
}

/// What the cheapest attack is predicted to take.
std::string predicted_cost(const challenge::Rung& rung) {
  if (!rung.predicted_seconds) return "-";
  return fmt::format("{}, {}", study::duration(*rung.predicted_seconds), rung.attack);
}

/// Of a folder: its challenges, and what solved them.
Answer verify_ladder(const std::string& folder, bool as_json, const RunContext& context) {
  const std::vector<challenge::Rung> ladder = challenge::read_ladder(folder, context);
  const Json json = report::report_json("ladder", {{"folder", folder}, {"challenges", json_value(ladder)}});
  Rows rows = {{"challenge", "spec", "log2 secrets", "examples", "predicted cost", "solved by"}};
  std::int64_t unread = 0;
  bool wrong = false;
  for (const challenge::Rung& rung : ladder) {
    unread += rung.problem.empty() ? 0 : 1;
    for (const challenge::KnownAnswer& known : rung.answers) wrong = wrong || !known.right;
    rows.push_back({rung.file, rung.problem.empty() ? rung.spec : "NOT READ: " + rung.problem,
                    rung.log2_secrets ? fmt::format("{:.1f}", *rung.log2_secrets) : "-",
                    grouped(std::to_string(rung.examples)), predicted_cost(rung), solved_by(rung)});
  }
  const std::string text = ladder.empty() ? "no challenges\n" : table(rows);
  Answer answer{.text = as_json ? text_of(json) : text,
                .code = wrong ? ExitCode::not_recovered : ExitCode::answered};
  if (unread > 0) {
    answer.code = ExitCode::bad_input;
    answer.note = fmt::format("'{}': {} could not be read", folder, counted(unread, "challenge"));
  }
  return answer;
}

Answer verify_answer(const CheckOptions& options) {
  const AnyChallenge of = AnyChallenge::open(options.files[0]);
  const challenge::Verdict verdict = of.check(options.files[1]);
  const ExitCode code = verdict.right ? ExitCode::answered : ExitCode::not_recovered;
  if (options.common.json) {
    Json json = report::report_json(
        "challenge", {{"challenge", options.files[0]}, {"spec", of.spec()}, {"answer", options.files[1]}});
    json.update(record_to_json(verdict));
    return {.text = text_of(json), .code = code};
  }
  return {.text = fmt::format("{}: {}\n", options.files[0], of.spec()) +
                  wrapped(fmt::format("{}: {}", verdict.right ? "RIGHT" : "WRONG", verdict.reason)),
          .code = code};
}

Answer run_verify(const CheckOptions& options, const RunContext& context) {
  const std::vector<std::string>& files = options.files;
  if (files.size() == 2) return verify_answer(options);
  std::error_code missing;
  if (files.empty() || (files.size() == 1 && std::filesystem::is_directory(files[0], missing)))
    return verify_ladder(files.empty() ? "docs/challenges" : files[0], options.common.json, context);
  throw InputError(fmt::format(
      "challenge verify: a challenge and an answer are expected, or a folder: {} given",
      files.size() > 1 ? counted(static_cast<std::int64_t>(files.size()), "file") : "'" + files[0] + "'"));
}

constexpr const char* challenge_help = "a challenge, as 'challenge make' writes it";

}  // namespace

Command challenge_make_command() {
  using Options = challenge::PublishOptions;
  return make_command(
      {.name = "challenge make",
       .summary = "hide a layer for others to find: its secret comes from the operating system's entropy",
       .examples =
           {"hardhead challenge make parity:d=12,m=3 -n 400 -o challenge.safetensors --keep secret.json",
            "hardhead challenge make nice:d=6,k=2,m=1 -n 100 -o nice.safetensors",
            "hardhead challenge make lwe:n=8,q=97,sigma=1,samples=40 -o samples.json"}},
      FlagTable<MakeOptions>().group(
          &MakeOptions::publish,
          FlagTable<Options>()
              .positional(
                  {.name = "SPEC",
                   .help = "a layer of parity, block-parity, lwr, lwe, lpn or nice without a seed; with "
                           "samples=N plain samples, as for lwe generate",
                   .files = false},
                  &Options::spec)
              .flag({"-n,--count", "N", "how many examples"}, &Options::examples, example_count())
              .required(output_flag, &Options::file, nonempty_text("a file name"))
              .flag({"--keep", "FILE", "write the secret to FILE, an answer that verify accepts", "nowhere"},
                    &Options::keep, nonempty_text("a file name"))),
      run_make);
}

Command challenge_data_command() {
  return make_command(
      {.name = "challenge data",
       .summary = "write the training examples of a challenge, or its test inputs, for learners and attacks",
       .examples = {"hardhead challenge data challenge.safetensors -o training.safetensors",
                    "hardhead challenge data challenge.safetensors -n 200 -o equations.json",
                    "hardhead challenge data challenge.safetensors --test -o test.safetensors"}},
      FlagTable<DataOptions>()
          .positional({"CHALLENGE", challenge_help}, &DataOptions::challenge)
          .flag({"-n,--count", "N", "how many examples"}, &DataOptions::count, example_count())
          .on({"--test", "", "the test inputs instead, which have no labels"}, &DataOptions::test)
          .required(output_flag, &DataOptions::output, nonempty_text("a file name")),
      run_data);
}

Command challenge_verify_command() {
  return make_command(
      {.name = "challenge verify",
       .summary =
           "is an answer right? of a folder, every answer that is known; exit 0 if all are, 4 if one is "
           "wrong",
       .examples = {"hardhead challenge verify challenge.safetensors secret.json",
                    "hardhead challenge verify ."}},
      FlagTable<CheckOptions>().positional(
          {.name = "FILES",
           .help = "a challenge and an answer: predicted labels (.csv, .safetensors), a layer (.safetensors) "
                   "or a secret (.json, as lwe attack -o writes it); or a folder (default: docs/challenges)",
           .required = false},
          &CheckOptions::files),
      run_verify);
}

}  // namespace hardhead::app
