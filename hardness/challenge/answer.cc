#include "hardness/challenge/answer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "attention/files/layer_file.h"
#include "base/error.h"
#include "base/files/read_file.h"
#include "base/text/quoted.h"
#include "hardness/challenge/commitment.h"
#include "lwe/files/instance_file.h"

namespace hardhead::challenge {
namespace {

using attention::Block;
using attention::Index;
using lwe::Residue;

/// Numbers with commas between them, one line for each test input.
Predictions read_csv(const std::string& path, const LayerChallenge& challenge) {
  const std::int64_t entries = challenge.terms.entries();
  std::string text = read_file(path);
  if (!text.ends_with('\n')) text += '\n';
  Predictions out;
  std::int64_t line = 1, on_line = 0;
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("file '{}', line {}: {}", path, line, what));
  };
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    double value = 0;
    const auto [stop, status] = std::from_chars(at, end, value);
    if (status != std::errc{} || !std::isfinite(value))
      fail(fmt::format("{} is not the start of a finite number",
                       hardhead::quoted(std::string_view(at, std::min(at + 20, end)))));
    out.y.push_back(value);
    ++on_line;
    at = stop;
    if (at != end && *at == '\r') ++at;
    if (at == end || (*at != ',' && *at != '\n'))
      fail("a comma or the end of the line is expected after a number");
    if (*at++ == ',') continue;
    if (on_line != entries) fail(fmt::format("{} numbers; a label has k d = {}", on_line, entries));
    on_line = 0;
    ++line;
  }
  if (line - 1 != challenge.test_examples)
    throw InputError(fmt::format("file '{}': {} lines, but there are {} test inputs", path, line - 1,
                                 challenge.test_examples));
  return out;
}

Predictions read_tensor(const attention::SafetensorsFile& file, const LayerChallenge& challenge) {
  const auto& y = file.tensor("y");
  const std::vector<std::int64_t> shape{challenge.test_examples, challenge.terms.k, challenge.terms.d};
  if (y.shape != shape || !attention::is_real(y.dtype))
    throw InputError(
        fmt::format("file '{}': tensor \"y\" is {} of shape [{}], but reals of shape [{}] are expected",
                    file.path(), y.type_name, fmt::join(y.shape, ", "), fmt::join(shape, ", ")));
  Predictions out;
  for (std::int64_t i = 0; i < challenge.test_examples * challenge.terms.entries(); ++i) {
    out.y.push_back(attention::SafetensorsFile::element(y, i));
    if (!std::isfinite(out.y.back()))
      throw InputError(fmt::format("file '{}': number {} of y is not finite", file.path(), i));
  }
  return out;
}

Predictions predictions_of(const attention::Layer& layer, const LayerChallenge& challenge) {
  if (layer.d != challenge.terms.d)
    throw InputError(
        fmt::format("the layer has d = {}, the challenge has d = {}", layer.d, challenge.terms.d));
  Block tests = test_inputs(challenge);
  attention::LayerTeacher(layer).label(tests);
  Predictions out{std::vector<double>(static_cast<std::size_t>(tests.x.size()))};
  attention::write_as_array(tests.y, tests.k, out.y.data());
  return out;
}

/// What the commitment is compared with, or why there is none.
struct Codes {
  std::vector<std::int64_t> values;
  std::string defect{};
};

Codes codes_of(std::span<const Residue> g) {
  return {{g.begin(), g.end()}};
}

Codes codes_of(const Predictions& predictions, const LayerChallenge& challenge) {
  if (!challenge.terms.behind_switch) {
    constexpr double most = 1e9;
    for (const double y : predictions.y)
      if (!(std::abs(y) < most)) return {{}, fmt::format("{:.3g} is no label: none is as large", y)};
    return {rounded_codes(predictions.y)};
  }
  Block tests = test_inputs(challenge);
  const double* y = predictions.y.data();
  for (Index n = 0; n < tests.count; ++n)
    for (Index a = 0; a < tests.k; ++a)
      for (Index f = 0; f < tests.d(); ++f) tests.y(f, tests.column(a, n)) = *y++;
  const ReadLabels read = read_labels(*challenge.terms.behind_switch, tests);
  if (read.defects > 0)
    return {{},
            fmt::format("{} of the {} predicted numbers are no labels of this family, the first of them: {}",
                        read.defects, predictions.y.size(), read.first_defect)};
  return codes_of(read.g);
}

Codes codes_of(const std::vector<Residue>& secret, const LayerChallenge& challenge) {
  if (!challenge.terms.behind_switch)
    throw InputError("the answer to a nice layer is a layer, or labels: it has no secret of another kind");
  const lwe::ProblemParameters& problem = challenge.terms.behind_switch->problem;
  if (std::string defect = lwe::defect_of_secret(problem, secret); !defect.empty())
    return {{}, std::move(defect)};
  Block tests = test_inputs(challenge);
  const lwe::Samples rows = rows_behind_switch(*challenge.terms.behind_switch, tests);
  std::vector<Residue> g;
  for (std::int64_t i = 0; i < rows.count(); ++i)
    g.push_back(lwe::label(problem, rows.row(i).data(), secret, 0));
  return codes_of(g);
}

}  // namespace

Answer read_answer(const std::string& path, const LayerChallenge& challenge) {
  const auto& problem = challenge.terms.behind_switch;
  if (path.ends_with(".json")) return lwe::read_solution(path, problem ? problem->problem.q : 2).secret;
  if (path.ends_with(".csv")) return read_csv(path, challenge);
  if (!path.ends_with(".safetensors"))
    throw InputError(fmt::format(
        "file '{}': an answer ends in .json (a secret), .csv (labels) or .safetensors (labels or a layer)",
        path));
  const attention::SafetensorsFile file(path);
  if (file.has("y")) return read_tensor(file, challenge);
  return attention::read_layer(file);
}

Verdict verify(const LayerChallenge& challenge, const Answer& answer) {
  Codes codes;
  if (const auto* secret = std::get_if<std::vector<Residue>>(&answer))
    codes = codes_of(*secret, challenge);
  else if (const auto* layer = std::get_if<attention::Layer>(&answer))
    codes = codes_of(predictions_of(*layer, challenge), challenge);
  else
    codes = codes_of(std::get<Predictions>(answer), challenge);
  if (!codes.defect.empty()) return {false, codes.defect};
  const std::string inputs = fmt::format("{} test inputs", challenge.test_examples);
  if (commitment(challenge.salt, codes.values) == challenge.commitment)
    return {true, fmt::format("every label of the {} is right", inputs)};
  return {false,
          fmt::format("at least one label of the {} is wrong; the commitment is to all of them together "
                      "and does not say which, or how many",
                      inputs)};
}

}  // namespace hardhead::challenge
