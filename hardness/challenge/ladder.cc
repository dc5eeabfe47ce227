#include "hardness/challenge/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "hardness/challenge/any_challenge.h"

namespace hardhead::challenge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// "challenge" and "answer" of an entry of solved.json, and what is said of it.
struct Claim {
  std::string challenge, answer;
  KnownAnswer known;
};

std::vector<Claim> read_claims(const fs::path& path) {
  if (!fs::exists(path)) return {};
  const std::string place = fmt::format("file '{}'", path.string());
  constexpr int depth = 4;
  Json document;
  try {
    document = parse_json<Json>(read_file(path), depth);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", place, error.what()));
  }
  const JsonObject json(document, place);
  if (json.text("schema") != "hardhead.solved/1") json.fail("schema", "'hardhead.solved/1' is expected");
  std::vector<Claim> out;
  for (const Json& entry : json.list("answers")) {
    const JsonObject claim(entry, place + ", answers");
    out.push_back(
        {claim.text("challenge"), claim.text("answer"), {claim.text("by"), claim.texts("commands")}});
  }
  return out;
}

}  // namespace

std::vector<Rung> read_ladder(const std::string& folder, const RunContext& context) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file()) files.push_back(entry.path());
  if (error) throw InputError(fmt::format("folder '{}': {}", folder, error.message()));
  std::ranges::sort(files);

  std::vector<Claim> claims = read_claims(fs::path(folder) / "solved.json");
  std::vector<Rung> out;
  for (const fs::path& file : files) {
    context.stop.check();
    const std::optional<AnyChallenge> opened = AnyChallenge::open_if_one(file);
    if (!opened) continue;
    out.push_back({file.filename(), opened->spec(), opened->examples(), opened->log2_secrets()});
    if (const auto best = opened->best_attack()) {
      out.back().attack = best->method->name;
      out.back().predicted_seconds = best->cost.seconds;
    }
    for (Claim& claim : claims) {
      if (claim.challenge != file.filename()) continue;
      claim.known.right = opened->check(fs::path(folder) / claim.answer).right;
      out.back().answers.push_back(claim.known);
      claim.challenge.clear();
    }
  }
  for (const Claim& claim : claims)
    if (!claim.challenge.empty())
      throw InputError(
          fmt::format("file '{}/solved.json': there is no challenge '{}'", folder, claim.challenge));
  return out;
}

}  // namespace hardhead::challenge
