#include "hardness/challenge/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/files/paths.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "hardness/challenge/any_challenge.h"

namespace hardhead::challenge {
namespace {

namespace fs = std::filesystem;

/// "challenge" and "answer" of an entry of solved.json, and what is said of it.
struct Claim {
  std::string challenge, answer;
  KnownAnswer known;
  bool used = false;
};

std::vector<Claim> read_claims(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error) && !error) return {};
  const std::string place = fmt::format("file '{}'", path.string());
  constexpr int depth = 4;
  const Json document = at_place(place, [&] { return parse_json<Json>(read_file(path), depth); });
  const JsonObject json(document, place);
  if (json.text("schema") != "hardhead.solved/1") json.fail("schema", "'hardhead.solved/1' is expected");
  std::vector<Claim> out;
  for (const Json& entry : json.list("answers")) {
    const JsonObject claim(entry, place + ", answers");
    out.push_back(
        {claim.text("challenge"), claim.text("answer"), {claim.text("by"), claim.texts("commands")}, false});
  }
  return out;
}

/// The regular files of a folder, by name.
std::vector<fs::path> files_of(const std::string& folder) {
  std::error_code error, ignored;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file(ignored)) files.push_back(at->path());
  if (error) throw InputError(fmt::format("folder '{}': {}", folder, error.message()));
  std::ranges::sort(files);
  return files;
}

/// Runs `body`; what it refuses becomes the problem.
template <class Body>
void or_problem(std::string& problem, const Body& body) {
  try {
    body();
  } catch (const InputError& error) {
    problem = error.what();
  }
}

/// The challenge in a file with its answers; none for a file that is no challenge.
std::optional<Rung> rung_of(const std::string& folder, const fs::path& file, std::vector<Claim>& claims) {
  Rung rung{.file = file.filename(), .spec = {}};
  std::optional<AnyChallenge> opened;
  or_problem(rung.problem, [&] { opened = AnyChallenge::open_if_one(file); });
  if (!opened && rung.problem.empty()) return std::nullopt;
  if (opened) {
    rung.spec = opened->spec();
    rung.examples = opened->examples();
    rung.log2_secrets = opened->log2_secrets();
    if (const auto best = opened->best_attack()) {
      rung.attack = best->method->name;
      rung.predicted_seconds = best->cost.seconds;
    }
  }
  for (Claim& claim : claims) {
    if (claim.challenge != file.filename()) continue;
    or_problem(claim.known.problem, [&] {
      if (!opened) throw InputError("the challenge cannot be read");
      claim.known.right = opened->check(file_in_folder(folder, claim.answer)).right;
    });
    rung.answers.push_back(claim.known);
    claim.used = true;
  }
  return rung;
}

}  // namespace

std::vector<Rung> read_ladder(const std::string& folder, const RunContext& context) {
  const std::vector<fs::path> files = files_of(folder);
  std::vector<Claim> claims = read_claims(fs::path(folder) / "solved.json");
  std::vector<Rung> out;
  for (const fs::path& file : files) {
    context.stop.check();
    if (std::optional<Rung> rung = rung_of(folder, file, claims)) out.push_back(std::move(*rung));
  }
  for (Claim& claim : claims) {
    if (claim.used) continue;
    claim.known.problem = "there is nothing to check it with";
    out.push_back({.file = claim.challenge,
                   .spec = {},
                   .answers = {claim.known},
                   .problem = "solved.json names it, and there is no such challenge"});
  }
  return out;
}

}  // namespace hardhead::challenge
