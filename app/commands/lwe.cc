#include "app/commands/lwe.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/error.h"
#include "base/text/quoted.h"
#include "lwe/attacks/embedding.h"
#include "lwe/files/instance_file.h"
#include "study/problem/source.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct LweGenerateOptions {
  CommonOptions common;
  std::string spec, output;
};

Answer run_generate(const LweGenerateOptions& options, const RunContext&) {
  const lwe::Challenge challenge = open_challenge(options.spec);
  const std::string& path = options.output;
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
      throw InputError(fmt::format("{}: {}", options.spec, error.what()));
    }
    what = fmt::format("the basis of Kannan's embedding of {} samples", m);
  } else {
    throw InputError(fmt::format(
        "--output {}: the ending picks the format: .json, .txt (Darmstadt), .fplll (basis of the embedding)",
        path));
  }
  if (options.common.json) {
    Json out = challenge_json(challenge);
    out["file"] = path;
    return {text_of(out)};
  }
  return {fmt::format("wrote {}: {} of {}\n", on_one_line(path), what, describe(challenge))};
}

/// Of all problems' recipes.
std::vector<std::pair<std::string, std::vector<Parameter>>> recipe_parameters() {
  std::vector<std::pair<std::string, std::vector<Parameter>>> out;
  for (const auto kind : {lwe::ProblemKind::lwe, lwe::ProblemKind::lwr, lwe::ProblemKind::lpn})
    out.emplace_back(fmt::format("Parameters of {}", name_of(kind)), lwe::recipe_table(kind).rows());
  return out;
}

}  // namespace

Spec one_method(const std::vector<Spec>& given, const std::string& fallback) {
  if (given.empty()) return Spec::parse(fallback);
  if (given.size() > 1)
    throw InputError(fmt::format("--method {}: one method is expected, and '{}' is given already",
                                 given[1].str(), given[0].str()));
  return given.front();
}

lwe::Challenge open_challenge(const std::string& source) {
  if (study::names_a_file(source)) return lwe::read_challenge(source);
  const auto recipe = lwe::Recipe::parse(Spec::parse(source));
  return {recipe.parameters, lwe::Sampler(recipe.parameters, recipe.seed).draw(0, recipe.samples)};
}

std::string describe(const lwe::Challenge& challenge) {
  const lwe::ProblemParameters& p = challenge.parameters;
  std::string own;
  if (p.problem == lwe::ProblemKind::lwe)
    own = p.noise == lwe::Noise::gaussian ? fmt::format(", sigma = {:.6g}", p.sigma)
          : p.noise == lwe::Noise::binary ? ", binary noise"
                                          : fmt::format(", binomial noise of eta = {}", p.eta);
  if (p.problem == lwe::ProblemKind::lwr)
    own = fmt::format(", p = {}{}", p.p,
                      p.rounding == lwe::Rounding::floor ? "" : fmt::format(" ({})", name_of(p.rounding)));
  if (p.problem == lwe::ProblemKind::lpn) own = fmt::format(", rate = {}", p.rate);
  std::string secret = name_of(p.secret) + " secret";
  if (p.has_fixed_weight()) secret += fmt::format(" of weight {}", p.weight);
  if (p.secret == lwe::SecretKind::binomial) secret += fmt::format(" of eta = {}", p.secret_eta);
  if (p.secret == lwe::SecretKind::gaussian) secret += fmt::format(" of deviation {:.6g}", p.secret_sigma);
  std::string out = fmt::format("{}, n = {}, q = {}{}, {}, {}", name_of(p.problem), p.n, p.q, own, secret,
                                counted(challenge.samples.count(), "sample"));
  for (const std::string& note : challenge.notes) out += "\nnote: " + note;
  return out;
}

Json challenge_json(const lwe::Challenge& challenge) {
  const lwe::ProblemParameters& p = challenge.parameters;
  Json out = report::report_json("lwe-problem", {{"problem", name_of(p.problem)}, {"n", p.n}, {"q", p.q}});
  if (p.problem == lwe::ProblemKind::lwe) {
    out["sigma"] = p.sigma;
    out["noise"] = name_of(p.noise);
    if (p.noise == lwe::Noise::binomial) out["eta"] = p.eta;
  }
  if (p.problem == lwe::ProblemKind::lwr) {
    out["p"] = p.p;
    out["rounding"] = challenge.rounding_known ? Json(name_of(p.rounding)) : Json(nullptr);
  }
  if (p.problem == lwe::ProblemKind::lpn) out["rate"] = p.rate;
  out["secret_kind"] = name_of(p.secret);
  if (p.has_fixed_weight()) out["weight"] = p.weight;
  if (p.secret == lwe::SecretKind::binomial) out["secret_eta"] = p.secret_eta;
  if (p.secret == lwe::SecretKind::gaussian) out["secret_sigma"] = p.secret_sigma;
  out["samples"] = challenge.samples.count();
  out["sha256"] = lwe::content_digest(challenge);
  if (!challenge.notes.empty()) out["notes"] = challenge.notes;
  return out;
}

Command lwe_generate_command() {
  return make_command(
      {.name = "lwe generate",
       .summary =
           "write samples to a file (.json, .txt: Darmstadt), or the basis of their embedding (.fplll)",
       .examples = {"hardhead lwe generate lwe:n=8,q=97,sigma=1,samples=40 -o challenge.json"},
       .parameters = recipe_parameters()},
      FlagTable<LweGenerateOptions>()
          .positional(
              {.name = "SPEC",
               .help =
                   "samples, as in lwe:n=40,q=12289,sigma=3.2,samples=80,seed=1, lwr:n=8,q=16,p=2 "
                   "or lpn:n=24,rate=0.125; or in the names of lattice-estimator, m, alpha, Xs and Xe, as in "
                   "lwe:n=40,q=257,Xs=ternary,Xe=binomial:2,m=80",
               .files = false},
              &LweGenerateOptions::spec)
          .required(output_flag, &LweGenerateOptions::output, nonempty_text("a file name")),
      run_generate);
}

}  // namespace hardhead::app
