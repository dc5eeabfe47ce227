#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"
#include "lwe/instance_file.h"

namespace hardhead::lwe {
namespace {

using Json = nlohmann::ordered_json;

constexpr int max_depth = 3;  // the document, a list, a row

/// A JSON object of a file: every access names file and key in errors.
class Object {
 public:
  Object(const std::string& path, const std::string& text_of_file, const std::string& schema) : path_(path) {
    try {
      json_ = parse_json<Json>(text_of_file, max_depth);
    } catch (const InputError& error) {
      throw InputError(fmt::format("file '{}': {}", path, error.what()));
    }
    if (!json_.is_object()) fail("the document", "an object is expected");
    if (text("schema") != schema)
      fail("schema", fmt::format("'{}' is expected, not '{}'", schema, text("schema")));
  }

  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    throw InputError(fmt::format("file '{}', {}: {}", path_, key, message));
  }

  const Json& at(const std::string& key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(key, "is missing");
    return *found;
  }
  bool has(const std::string& key) const { return json_.contains(key); }

  std::string text(const std::string& key) const {
    if (!at(key).is_string()) fail(key, "a text is expected");
    return at(key).get<std::string>();
  }
  std::int64_t integer(const std::string& key) const {
    if (!at(key).is_number_integer()) fail(key, "an integer is expected");
    return at(key).get<std::int64_t>();
  }
  double real(const std::string& key) const {
    if (!at(key).is_number()) fail(key, "a number is expected");
    return at(key).get<double>();
  }
  void residues(const std::string& key, const Json& list, std::vector<Residue>& out) const {
    if (!list.is_array()) fail(key, "a list of integers is expected");
    for (const Json& value : list) {
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() > UINT32_MAX)
        fail(key, fmt::format("{} is not an integer in 0 .. 2^32 - 1", value.dump().substr(0, 40)));
      out.push_back(value.get<Residue>());
    }
  }

 private:
  std::string path_;
  Json json_;
};

constexpr const char* challenge_schema = "hardhead.lwe/1";
constexpr const char* solution_schema = "hardhead.lwe-solution/1";

void read_parameters(const Object& json, ProblemParameters& p) {
  p.problem = parse_problem(json.text("problem"));
  p.n = json.integer("n");
  p.q = json.integer("q");
  p.secret = parse_secret_kind(json.text("secret"));
  if (p.secret == SecretKind::fixed_weight) p.weight = json.integer("weight");
  if (p.problem == Problem::lwe) {
    p.noise = parse_noise(json.text("noise"));
    p.sigma = json.real("sigma");
  }
  if (p.problem == Problem::lwr) p.p = json.integer("p");
  if (p.problem == Problem::lpn) p.rate = json.real("rate");
}

void write(const std::string& path, const Json& json) {
  AtomicFile file(path);
  file.stream() << json.dump() << "\n";
  file.commit();
}

}  // namespace

std::string content_digest(const Challenge& challenge) {
  const ProblemParameters& p = challenge.parameters;
  Digest digest;
  digest.add(fmt::format("{} n={} q={} secret={} weight={} noise={} sigma={} p={} rate={}",
                         to_string(p.problem), p.n, p.q, to_string(p.secret), p.weight, to_string(p.noise),
                         p.sigma, p.p, p.rate));
  for (const auto* list : {&challenge.samples.a, &challenge.samples.b}) {
    std::string bytes;
    for (const Residue x : *list)
      for (int byte = 0; byte < 4; ++byte) bytes += static_cast<char>(x >> (8 * byte) & 0xff);
    digest.add(bytes);
  }
  return digest.hex();
}

Challenge read_json_challenge(const std::string& path) {
  const Object json(path, read_file(path), challenge_schema);
  Challenge out;
  try {
    read_parameters(json, out.parameters);
    out.parameters.validate();
    out.samples.n = out.parameters.n;
    if (!json.at("a").is_array()) json.fail("a", "a list of rows is expected");
    for (const Json& row : json.at("a")) {
      const std::size_t before = out.samples.a.size();
      json.residues("a", row, out.samples.a);
      if (out.samples.a.size() - before != static_cast<std::size_t>(out.parameters.n))
        json.fail("a", fmt::format("a row of {} coefficients; n={}", out.samples.a.size() - before,
                                   out.parameters.n));
    }
    json.residues("b", json.at("b"), out.samples.b);
    check_samples(out.parameters, out.samples);
  } catch (const InputError& error) {
    if (std::string(error.what()).starts_with("file ")) throw;
    throw InputError(fmt::format("file '{}': {}", path, error.what()));
  }
  if (const std::string digest = content_digest(out); json.text("sha256") != digest)
    json.fail("sha256",
              fmt::format("'{}' is not that of the content, {}", json.text("sha256").substr(0, 80), digest));
  return out;
}

void write_json_challenge(const std::string& path, const Challenge& challenge) {
  const ProblemParameters& p = challenge.parameters;
  check_samples(p, challenge.samples);
  Json json{{"schema", challenge_schema},
            {"problem", to_string(p.problem)},
            {"n", p.n},
            {"q", p.q},
            {"secret", to_string(p.secret)}};
  if (p.secret == SecretKind::fixed_weight) json["weight"] = p.weight;
  if (p.problem == Problem::lwe) json["noise"] = to_string(p.noise), json["sigma"] = p.sigma;
  if (p.problem == Problem::lwr) json["p"] = p.p;
  if (p.problem == Problem::lpn) json["rate"] = p.rate;
  json["a"] = Json::array();
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i) {
    const auto row = challenge.samples.row(i);
    json["a"].push_back(std::vector<Residue>(row.begin(), row.end()));
  }
  json["b"] = challenge.samples.b;
  json["sha256"] = content_digest(challenge);
  write(path, json);
}

Challenge read_challenge(const std::string& path) {
  char lead = '\0';
  std::ifstream(path, std::ios::binary) >> lead;
  std::error_code ignored;  // a file that cannot be looked at is refused by its reader
  if (lead == '{' || !std::filesystem::is_regular_file(path, ignored)) return read_json_challenge(path);
  if (lead >= '0' && lead <= '9') return read_darmstadt(path);
  throw InputError(fmt::format(
      "file '{}': neither JSON (which starts with '{{') nor Darmstadt text (with a digit)", path));
}

Solution read_solution(const std::string& path) {
  const Object json(path, read_file(path), solution_schema);
  Solution out;
  out.instance = json.text("instance");
  json.residues("secret", json.at("secret"), out.secret);
  return out;
}

void write_solution(const std::string& path, const Solution& solution) {
  write(path,
        Json{{"schema", solution_schema}, {"instance", solution.instance}, {"secret", solution.secret}});
}

}  // namespace hardhead::lwe
