#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/error.h"
#include "base/text/record_json.h"
#include "experiments/hardness_profile.h"
#include "sq/dimension/low_degree.h"
#include "study/cost/cost_fit.h"
#include "study/cost/hard_presets.h"
#include "study/problem/source.h"
#include "study/problem/suite.h"
#include "study/report/json.h"
#include "study/sweep/forecast.h"

namespace hardhead::app {
namespace {

using experiments::HardnessProfile;

struct HardnessCommandOptions {
  CommonOptions common;
  std::string spec;
  experiments::HardnessOptions profile;
};

std::string with_ends(const statistics::Estimate& estimate, std::string (*number)(double) = brief) {
  return fmt::format("{} ({} .. {})", number(estimate.value), number(estimate.interval.low),
                     number(estimate.interval.high));
}

std::string bounds_text(const HardnessProfile& profile) {
  if (profile.bounds.empty()) return "PROVED\n  no bound is implemented for this family\n";
  std::string out = "PROVED\n";
  for (const experiments::ProvedBound& bound : profile.bounds)
    out += fmt::format("  {}: at least {:.6g}\n", bound.of, bound.at_least.convert_to<double>()) +
           wrapped(bound.meaning, 96, 4);
  return out;
}

std::string remarks_text(const HardnessProfile& profile) {
  std::string out;
  for (const std::string& remark : profile.remarks) out += wrapped(remark, 96, 2);
  return out;
}

/// "e^(1.9 m)".
std::string formula(const statistics::CostPrediction& law) {
  std::vector<std::string> coefficients;
  for (std::size_t j = 1; j < law.coefficients.size(); ++j)
    coefficients.push_back(brief(law.coefficients[j]));
  return study::law_text(law.name, coefficients);
}

std::string learner_notes(const study::LearnerCost& learner) {
  std::string out;
  if (learner.no_fit) return wrapped(fmt::format("{}: no fit; {}", learner.learner, *learner.no_fit), 96, 2);
  out += fmt::format("{}: measured on {}", learner.learner, learner.measured);
  for (const std::string& beyond : learner.beyond) out += "; extrapolated: " + beyond;
  for (const statistics::CostPrediction& law : learner.laws)
    out += fmt::format("; by {} (AICc {:.1f}): {}", formula(law), law.aicc, with_ends(law.cost));
  if (!experiments::ends_with_the_layer(learner.learner)) out += "; phases 1 to 4 only, a part of the way";
  return wrapped(out, 96, 2);
}

std::string learners_text(const HardnessProfile& profile) {
  std::string out =
      "\nLEARNERS   until success, in the median; 95% intervals; times of the machine that measured them\n";
  if (profile.learners.empty()) return out + "  none was measured on layers of this kind and size\n";
  Rows rows = {{"  learner", "examples", "time, one thread"}};
  std::string notes;
  for (const study::LearnerCost& learner : profile.learners) {
    if (!learner.no_fit)
      rows.push_back(
          {"  " + learner.learner, with_ends(learner.examples), with_ends(learner.seconds, study::duration)});
    notes += learner_notes(learner);
  }
  if (rows.size() > 1) out += table(rows);
  for (const std::string& one : profile.unlike) notes += wrapped("unlike: " + one, 96, 2);
  return out + notes;
}

std::string cost_text(const experiments::AttackCost& attack, std::string_view whom) {
  return fmt::format(
             "\nATTACK   by {}\n"
             "  {}: {:.4g} examples, {} s (2^{:.1f} operations) predicted\n",
             whom, attack.name, attack.examples, brief(attack.seconds), attack.log2_operations) +
         wrapped(attack.beyond ? *attack.beyond + "; " + attack.guarantee : attack.guarantee, 96, 4);
}

std::string attack_text(const HardnessProfile& profile) {
  return (profile.gadget ? cost_text(*profile.gadget, "a learner that is told the gadget") : "") +
         (profile.attack
              ? cost_text(*profile.attack, "whoever knows the family")
              : "\nATTACK   by whoever knows the family\n  none that succeeds is known to this program\n");
}

std::string text_of_profile(const HardnessProfile& profile) {
  return fmt::format("{}: {} features, {} tokens, {}\n\n", profile.spec.str(), profile.shape.d,
                     profile.shape.k, counted(profile.shape.m, "head")) +
         bounds_text(profile) + remarks_text(profile) + learners_text(profile) + attack_text(profile) + "\n" +
         wrapped("verdict: " + profile.verdict());
}

Json to_json(const experiments::AttackCost& attack) {
  return {{"name", attack.name},
          {"examples", attack.examples},
          {"seconds", attack.seconds},
          {"log2_operations", attack.log2_operations},
          {"beyond", attack.beyond ? Json(*attack.beyond) : Json(nullptr)},
          {"guarantee", attack.guarantee}};
}

Json to_json(const statistics::Estimate& estimate) {
  return {{"value", estimate.value}, {"interval", json_value(estimate.interval)}};
}

Json to_json(const study::LearnerCost& learner) {
  Json out{{"learner", learner.learner},
           {"complete", experiments::ends_with_the_layer(learner.learner)},
           {"measured", learner.measured},
           {"no_fit", learner.no_fit ? Json(*learner.no_fit) : Json(nullptr)}};
  if (learner.no_fit) return out;
  out["examples"] = to_json(learner.examples);
  out["seconds"] = to_json(learner.seconds);
  out["extrapolated"] = learner.beyond;
  out["laws"] = Json::array();
  for (const statistics::CostPrediction& law : learner.laws)
    out["laws"].push_back({{"law", formula(law)}, {"aicc", law.aicc}, {"examples", to_json(law.cost)}});
  return out;
}

Json json_of(const HardnessProfile& profile) {
  Json out = report::report_json("hardness", {{"spec", profile.spec.str()},
                                              {"d", profile.shape.d},
                                              {"k", profile.shape.k},
                                              {"m", profile.shape.m},
                                              {"bounds", Json::array()},
                                              {"remarks", profile.remarks},
                                              {"learners", Json::array()},
                                              {"unlike", profile.unlike},
                                              {"attack", nullptr},
                                              {"verdict", profile.verdict()}});
  for (const experiments::ProvedBound& bound : profile.bounds)
    out["bounds"].push_back(
        {{"of", bound.of}, {"at_least", to_string(bound.at_least)}, {"meaning", bound.meaning}});
  for (const study::LearnerCost& learner : profile.learners) out["learners"].push_back(to_json(learner));
  if (profile.gadget) out["gadget"] = to_json(*profile.gadget);
  if (profile.attack) out["attack"] = to_json(*profile.attack);
  return out;
}

Answer run(const HardnessCommandOptions& options, const RunContext&) {
  if (study::names_a_file(options.spec) || study::names_a_suite(options.spec))
    throw InputError(
        fmt::format("'{}': the spec of an instance is expected, not a file or a suite", options.spec));
  const HardnessProfile profile =
      experiments::hardness_profile(study::source_spec(options.spec), options.profile);
  return {options.common.json ? text_of(json_of(profile)) : text_of_profile(profile)};
}

}  // namespace

Command hardness_command() {
  return make_command(
      {.name = "hardness",
       .summary = "how hard an instance is: the proved bound, what learners are predicted to cost, the "
                  "cheapest attack",
       .examples = {"hardhead hardness parity:d=40,m=6", "hardhead hardness nice:d=16,k=2,m=8",
                    "hardhead hardness lwr:n=8,q=16"}},
      FlagTable<HardnessCommandOptions>()
          .positional({"SPEC", "an instance; hard-1h, hard-1d and hard-1y name some by their cost"},
                      &HardnessCommandOptions::spec)
          .group(
              &HardnessCommandOptions::profile,
              FlagTable<experiments::HardnessOptions>()
                  .flag({"--tau", "TAU", "tolerance of statistical queries"},
                        &experiments::HardnessOptions::tolerance, exact_number("above 0 and at most 1/2"))
                  .flag({"--degree", "D", "of low-degree statistics: functions of so many examples at a time",
                         "log2 of the number of members"},
                        &experiments::HardnessOptions::degree, integer_in<int>(1, sq::max_low_degree))),
      run);
}

}  // namespace hardhead::app
