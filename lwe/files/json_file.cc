#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/digest.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "lwe/files/instance_file.h"
#include "lwe/problem/verification.h"

namespace hardhead::lwe {
namespace {

constexpr int max_depth = 3;  // the document, a list, a row

std::string place_of(const std::string& path) {
  return fmt::format("file '{}'", path);
}

Json document_of(const std::string& path) {
  const std::string text = read_file(path);
  return at_place(place_of(path), [&] { return parse_json<Json>(text, max_depth); });
}

void check_schema(const JsonObject& json, const std::string& schema) {
  if (const std::string found = json.text("schema"); found != schema)
    json.fail("schema", fmt::format("'{}' is expected, not '{}'", schema, found.substr(0, 80)));
}

/// Negative numbers above -q stand for their residues.
void add_residues(const JsonObject& json, const std::string& key, const Json& list, std::int64_t q,
                  std::vector<Residue>& out) {
  if (!list.is_array()) json.fail(key, "a list of integers is expected");
  for (const Json& value : list) {
    const bool negative = value.is_number_integer() && value < 0 && value > -q;
    if (!negative && (!value.is_number_unsigned() || value.get<std::uint64_t>() > UINT32_MAX))
      json.fail(key, fmt::format("{} is not an integer in -q + 1 .. 2^32 - 1, q={}",
                                 value.dump().substr(0, 40), q));
    out.push_back(static_cast<Residue>(value.get<std::int64_t>() + (negative ? q : 0)));
  }
}

constexpr const char* challenge_schema = "hardhead.lwe/1";
constexpr const char* solution_schema = "hardhead.lwe-solution/1";

void read_parameters(const JsonObject& json, ProblemParameters& p) {
  p.problem = json.choice<ProblemKind>("problem", "problem");
  p.n = json.integer<std::int64_t>("n");
  p.q = json.integer<std::int64_t>("q");
  p.secret = json.choice<SecretKind>("secret", "secret");
  if (p.has_fixed_weight()) p.weight = json.integer<std::int64_t>("weight");
  if (p.secret == SecretKind::binomial) p.secret_eta = json.integer<std::int64_t>("secret_eta");
  if (p.secret == SecretKind::gaussian) p.secret_sigma = json.real("secret_sigma");
  if (p.problem == ProblemKind::lwe) {
    p.noise = json.choice<Noise>("noise", "noise");
    p.sigma = json.real("sigma");
    if (p.noise == Noise::binomial) p.eta = json.integer<std::int64_t>("eta");
  }
  if (p.problem == ProblemKind::lwr) p.p = json.integer<std::int64_t>("p");
  if (p.problem == ProblemKind::lwr && json.has("rounding"))
    p.rounding = json.choice<Rounding>("rounding", "rounding");
  if (p.problem == ProblemKind::lpn) p.rate = json.real("rate");
}

/// A digest that is there must be right.
void check_digest(const JsonObject& json, Challenge& challenge) {
  if (!json.has("sha256") || json.is_null("sha256") || json.text("sha256").empty()) {
    challenge.notes.emplace_back("the file has no sha256: that it is whole was not checked");
    return;
  }
  if (const std::string digest = content_digest(challenge); json.text("sha256") != digest)
    json.fail("sha256",
              fmt::format("'{}' is not that of the content, {}", json.text("sha256").substr(0, 80), digest));
}

template <class Content>
void write_whole(const std::string& path, const Content& content,
                 void (*write)(AtomicFile&, const Content&)) {
  AtomicFile file(path);
  write(file, content);
  file.commit();
}

}  // namespace

std::string content_digest(const Challenge& challenge) {
  const ProblemParameters& p = challenge.parameters;
  Digest digest;
  digest.add(fmt::format("{} n={} q={} secret={} weight={} noise={} sigma={} p={} rate={}",
                         name_of(p.problem), p.n, p.q, name_of(p.secret), p.weight, name_of(p.noise), p.sigma,
                         p.p, p.rate) +
             (p.rounding == Rounding::floor ? "" : fmt::format(" rounding={}", name_of(p.rounding))) +
             (p.eta == 0 ? "" : fmt::format(" eta={}", p.eta)) +
             (p.secret_eta == 0 ? "" : fmt::format(" secret_eta={}", p.secret_eta)) +
             (p.secret_sigma == 0 ? "" : fmt::format(" secret_sigma={}", p.secret_sigma)));
  for (const auto* list : {&challenge.samples.a, &challenge.samples.b}) {
    std::string bytes;
    for (const Residue x : *list)
      for (int byte = 0; byte < 4; ++byte) bytes += static_cast<char>(x >> (8 * byte) & 0xff);
    digest.add(bytes);
  }
  return digest.hex();
}

Challenge read_json_challenge(const std::string& path) {
  const Json document = document_of(path);
  const JsonObject json(document, place_of(path));
  check_schema(json, challenge_schema);
  Challenge out;
  read_parameters(json, out.parameters);
  if (out.parameters.problem == ProblemKind::lwr && !json.has("rounding")) {
    out.rounding_known = false;
    out.notes.emplace_back("the file has no `rounding`: down and to the nearest level are tried");
  }
  json.checked([&] { out.parameters.validate(); });
  out.samples.n = out.parameters.n;
  for (const Json& row : json.list("a")) {
    const std::size_t before = out.samples.a.size();
    add_residues(json, "a", row, out.parameters.q, out.samples.a);
    if (out.samples.a.size() - before != static_cast<std::size_t>(out.parameters.n))
      json.fail("a", fmt::format("a row of {} coefficients; n={}", out.samples.a.size() - before,
                                 out.parameters.n));
  }
  add_residues(json, "b", json.at("b"), out.parameters.labels(), out.samples.b);
  json.checked([&] { check_samples(out.parameters, out.samples); });
  check_digest(json, out);
  return out;
}

void write_json_challenge(const std::string& path, const Challenge& challenge) {
  write_whole(path, challenge, write_json_challenge);
}

void write_json_challenge(AtomicFile& file, const Challenge& challenge) {
  const ProblemParameters& p = challenge.parameters;
  check_samples(p, challenge.samples);
  Json json{{"schema", challenge_schema},
            {"problem", name_of(p.problem)},
            {"n", p.n},
            {"q", p.q},
            {"secret", name_of(p.secret)}};
  if (p.has_fixed_weight()) json["weight"] = p.weight;
  if (p.secret == SecretKind::binomial) json["secret_eta"] = p.secret_eta;
  if (p.secret == SecretKind::gaussian) json["secret_sigma"] = p.secret_sigma;
  if (p.problem == ProblemKind::lwe) {
    json["noise"] = name_of(p.noise);
    json["sigma"] = p.sigma;
    if (p.noise == Noise::binomial) json["eta"] = p.eta;
  }
  if (p.problem == ProblemKind::lwr) json["p"] = p.p;
  if (p.problem == ProblemKind::lwr && challenge.rounding_known) json["rounding"] = name_of(p.rounding);
  if (p.problem == ProblemKind::lpn) json["rate"] = p.rate;
  json["a"] = Json::array();
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i) {
    const auto row = challenge.samples.row(i);
    json["a"].push_back(std::vector<Residue>(row.begin(), row.end()));
  }
  json["b"] = challenge.samples.b;
  json["sha256"] = content_digest(challenge);
  file.stream() << json.dump() << "\n";
}

Challenge read_challenge(const std::string& path) {
  char lead = '\0';
  std::ifstream stream(path, std::ios::binary);
  stream >> lead;
  if (lead == '\xEF') stream.ignore(2) >> lead;  // a byte order mark
  std::error_code ignored;                       // a file that cannot be looked at is refused by its reader
  if (lead == '{' || !std::filesystem::is_regular_file(path, ignored)) return read_json_challenge(path);
  if (lead >= '0' && lead <= '9') return read_darmstadt(path);
  throw InputError(fmt::format(
      "file '{}': neither JSON (which starts with '{{') nor Darmstadt text (with a digit)", path));
}

std::string Solution::objection(const Challenge& challenge) const {
  if (instance.empty() || instance == content_digest(challenge)) return "";
  return "the solution names another challenge: " + instance.substr(0, 80);
}

Solution read_solution(const std::string& path, std::int64_t q) {
  const Json document = document_of(path);
  const JsonObject json(document, place_of(path));
  check_schema(json, solution_schema);
  Solution out;
  out.instance = json.text("instance");
  add_residues(json, "secret", json.at("secret"), q, out.secret);
  return out;
}

void write_solution(const std::string& path, const Solution& solution) {
  write_whole(path, solution, write_solution);
}

void write_solution(AtomicFile& file, const Solution& solution) {
  const Json json{{"schema", solution_schema}, {"instance", solution.instance}, {"secret", solution.secret}};
  file.stream() << json.dump() << "\n";
}

}  // namespace hardhead::lwe
