#include "app/lwe.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/error.h"
#include "lwe/embedding.h"
#include "lwe/instance_file.h"
#include "lwe/matrix_file.h"
#include "study/json.h"
#include "study/named_source.h"

namespace hardhead::app {
namespace {

using Json = nlohmann::ordered_json;

Answer run_generate(const Settings& settings, const RunControl&) {
  const lwe::Challenge challenge = open_challenge(settings.source);
  const std::string& path = settings.output;
  std::string what = "the samples";
  if (path.ends_with(".json")) {
    lwe::write_json_challenge(path, challenge);
  } else if (path.ends_with(".txt")) {
    lwe::write_darmstadt(path, challenge);
  } else if (path.ends_with(".fplll")) {
    const std::int64_t m = lwe::plan_embedding(challenge.parameters, challenge.samples.count()).m;
    try {
      lwe::write_fplll_matrix(path, lwe::Embedding(challenge, m).basis());
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      throw InputError(fmt::format("{}: {}", settings.source, error.what()));
    }
    what = fmt::format("the basis of Kannan's embedding of {} samples", m);
  } else {
    throw InputError(fmt::format(
        "--output {}: the ending picks the format: .json, .txt (Darmstadt), .fplll (basis of the embedding)",
        path));
  }
  if (settings.json) {
    Json out = challenge_json(challenge);
    out["file"] = path;
    return {ExitCode::answered, text_of(out)};
  }
  return {ExitCode::answered, fmt::format("wrote {}: {} of {}\n", path, what, describe(challenge))};
}

Answer run_verify(const Settings& settings, const RunControl&) {
  if (settings.sources.size() != 2)
    throw InputError(fmt::format("verify: a challenge and a solution are expected, {} given",
                                 counted(static_cast<std::int64_t>(settings.sources.size()), "file")));
  const lwe::Challenge challenge = lwe::read_challenge(settings.sources[0]);
  const lwe::Solution solution = lwe::read_solution(settings.sources[1]);
  const std::string digest = lwe::content_digest(challenge);
  const bool same = solution.instance == digest;
  const lwe::Verification found = lwe::verify(challenge.parameters, challenge.samples, solution.secret);
  const bool verified = same && found.verified();
  const std::string message =
      same ? found.message : "the solution names another challenge: " + solution.instance.substr(0, 80);
  if (settings.json) {
    Json out = challenge_json(challenge);
    out["verified"] = verified;
    out["message"] = message;
    out["log2_impostors"] = std::isfinite(found.log2_impostors) ? Json(found.log2_impostors) : Json(nullptr);
    return {ExitCode::answered, text_of(out)};
  }
  return {ExitCode::answered, fmt::format("{}: {}\n{}: {}\n", settings.sources[0], describe(challenge),
                                          verified ? "VERIFIED" : "NOT VERIFIED", message)};
}

}  // namespace

Spec one_method(const Settings& settings, const std::string& fallback) {
  if (settings.methods.empty()) return Spec::parse(fallback);
  if (settings.methods.size() > 1)
    throw InputError(fmt::format("--method {}: one method is expected, and '{}' is given already",
                                 settings.methods[1].str(), settings.methods[0].str()));
  return settings.methods.front();
}

lwe::Challenge open_challenge(const std::string& source) {
  if (study::names_a_file(source)) return lwe::read_challenge(source);
  const auto recipe = lwe::Recipe::parse(Spec::parse(source));
  return {recipe.parameters, lwe::Sampler(recipe.parameters, recipe.seed).draw(0, recipe.samples)};
}

std::string describe(const lwe::Challenge& challenge) {
  const lwe::ProblemParameters& p = challenge.parameters;
  std::string own;
  if (p.problem == lwe::Problem::lwe)
    own = p.noise == lwe::Noise::binary ? ", binary noise" : fmt::format(", sigma = {:.6g}", p.sigma);
  if (p.problem == lwe::Problem::lwr) own = fmt::format(", p = {}", p.p);
  if (p.problem == lwe::Problem::lpn) own = fmt::format(", rate = {}", p.rate);
  return fmt::format("{}, n = {}, q = {}{}, {} secret, {}", to_string(p.problem), p.n, p.q, own,
                     to_string(p.secret), counted(challenge.samples.count(), "sample"));
}

Json challenge_json(const lwe::Challenge& challenge) {
  const lwe::ProblemParameters& p = challenge.parameters;
  Json out = study::report_json({{"problem", to_string(p.problem)}, {"n", p.n}, {"q", p.q}});
  if (p.problem == lwe::Problem::lwe) out["sigma"] = p.sigma, out["noise"] = to_string(p.noise);
  if (p.problem == lwe::Problem::lwr) out["p"] = p.p;
  if (p.problem == lwe::Problem::lpn) out["rate"] = p.rate;
  out["secret_kind"] = to_string(p.secret);
  out["samples"] = challenge.samples.count();
  out["sha256"] = lwe::content_digest(challenge);
  return out;
}

Command lwe_generate_command() {
  return {
      "lwe generate",
      "write samples to a file (.json, .txt: Darmstadt), or the basis of their embedding (.fplll)",
      {"SPEC",
       "samples, as in lwe:n=40,q=12289,sigma=3.2,samples=80,seed=1, lwr:n=8,q=16,p=2 or lpn:n=24,rate=0.125"},
      {},
      {"-o,--output"},
      {"hardhead lwe generate lwe:n=8,q=97,sigma=1,samples=40 -o challenge.json"},
      run_generate};
}

Command lwe_verify_command() {
  return {
      "lwe verify",
      "check a claimed secret against a challenge, in exact arithmetic, without knowing how either was made",
      {"FILES", "a challenge and a solution, as 'lwe generate' and 'lwe attack -o' write them", true},
      {},
      {},
      {"hardhead lwe verify challenge.json solution.json"},
      run_verify};
}

}  // namespace hardhead::app
