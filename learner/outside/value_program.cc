#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/process/command_dialogue.h"
#include "base/text/json.h"
#include "base/text/number.h"
#include "base/text/quoted.h"
#include "learner/outside/program.h"

namespace hardhead::learner {
namespace {

using Json = nlohmann::json;

constexpr int most_depth = 8;

/// The numbers of a list of lists.
Matrix matrix_of(const Json& rows, Index width, const std::string& what) {
  if (!rows.is_array() || rows.empty()) throw Failed{fmt::format("{} is not a list of rows", what)};
  Matrix out(static_cast<Index>(rows.size()), width);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Json& row = rows[r];
    if (!row.is_array() || static_cast<Index>(row.size()) != width)
      throw Failed{fmt::format("{}, row {}: a list of {} numbers is expected", what, r, width)};
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!row[c].is_number())
        throw Failed{fmt::format("{}, row {}: {} is no number", what, r, row[c].dump())};
      out(static_cast<Index>(r), static_cast<Index>(c)) = row[c].get<double>();
    }
  }
  return out;
}

Block block_of(const Json& asked, Index d) {
  if (!asked.is_array() || asked.empty()) throw Failed{"'ask' is not a list of X"};
  const auto count = static_cast<Index>(asked.size());
  std::optional<Block> block;
  for (Index n = 0; n < count; ++n) {
    const std::string what = fmt::format("X {} of 'ask'", n);
    const Matrix x = matrix_of(asked[static_cast<std::size_t>(n)], d, what);
    if (x.rows() > ValueProgram::most_tokens)
      throw Failed{fmt::format("{} has {} tokens, more than {}", what, x.rows(), ValueProgram::most_tokens)};
    if (!block) block.emplace(d, x.rows(), count);
    if (x.rows() != block->k)
      throw Failed{fmt::format("{} has {} tokens, the first has {}", what, x.rows(), block->k)};
    for (Index a = 0; a < x.rows(); ++a) block->x.col(block->column(a, n)) = x.row(a).transpose();
  }
  return std::move(*block);
}

Json values_of(const Block& block) {
  Json out = Json::array();
  for (Index n = 0; n < block.count; ++n) {
    Json rows = Json::array();
    for (Index a = 0; a < block.k; ++a) {
      const Vector row = block.y.col(block.column(a, n));
      rows.push_back(std::vector<double>(row.begin(), row.end()));
    }
    out.push_back(std::move(rows));
  }
  return {{"values", std::move(out)}};
}

Layer layer_of(const Json& answer, Index d) {
  const Json& theta = answer.at("theta");
  const auto w = answer.find("w");
  if (!theta.is_array() || w == answer.end() || !w->is_array() || theta.size() != w->size() || theta.empty())
    throw Failed{"'theta' and 'w' are not two lists of as many matrices"};
  Layer out;
  out.d = d;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    out.heads.push_back(
        {matrix_of(theta[i], d, fmt::format("theta {}", i)), matrix_of((*w)[i], d, fmt::format("w {}", i))});
  }
  try {
    out.validate();
  } catch (const InputError& error) {
    throw Failed{fmt::format("the program's layer cannot be used: {}", error.what())};
  }
  return out;
}

class Dialogue {
 public:
  Dialogue(const std::string& command, const ValueRun& run, const TemporaryFolder& folder)
      : run_(run), folder_(folder), program_(command, folder.file("log"), run.context.stop) {}

  Layer layer() {
    say_task();
    while (const std::optional<std::string> line = program_.hear()) {
      const Json said = read(*line);
      if (said.contains("theta")) return layer_of(said, run_.values->d());
      if (!said.contains("ask"))
        throw Failed{fmt::format("the program wrote {}, which has neither 'ask' nor 'theta'", brief(*line))};
      Block block = block_of(said.at("ask"), run_.values->d());
      answer(block);
      program_.tell(text_of_json(values_of(block)));
    }
    throw_ending(program_.end(), false, " and without a layer", folder_);
  }

 private:
  static std::string brief(const std::string& line) {
    constexpr std::size_t most = 60;
    std::string out = line.substr(0, most);
    if (line.size() > most) out += "..";
    return hardhead::quoted(out);
  }

  static Json read(const std::string& line) {
    try {
      Json said = parse_json<Json>(line, most_depth);
      if (said.is_object()) return said;
    } catch (const InputError& error) {
      throw Failed{fmt::format("the program wrote {}: {}", brief(line), error.what())};
    }
    throw Failed{fmt::format("the program wrote {}, which is no JSON object", brief(line))};
  }

  void say_task() {
    const Labelled domain = run_.values->domain();
    program_.tell(text_of_json(Json{{"d", run_.values->d()},
                                    {"tokens", domain.tokens ? Json(*domain.tokens) : Json(nullptr)},
                                    {"boolean", domain.boolean_only},
                                    {"tau", run_.values->tau()},
                                    {"heads", run_.task.heads ? Json(*run_.task.heads) : Json(nullptr)},
                                    {"seed", run_.task.seed}}));
  }

  // What cannot be asked is the program's failure, not that of the command.
  void answer(Block& block) {
    try {
      run_.values->ask(block);
    } catch (const InputError& error) {
      throw Failed{fmt::format("the program asked what cannot be asked: {}", error.what())};
    }
  }

  const ValueRun& run_;
  const TemporaryFolder& folder_;
  CommandDialogue program_;
};

}  // namespace

Needs ValueProgram::needs() const {
  return {.adapts = true};
}

void ValueProgram::run(const ValueRun& run) const {
  const std::unique_ptr<TemporaryFolder> folder = folder_of_a_program();
  run.recorder.phase("exec", [&](Phase& phase) {
    // A line or a log that is too long is the program's failure.
    Layer layer = errors_as<Failed>([&] { return Dialogue(command(), run, *folder).layer(); });
    run.recorder.report().message =
        fmt::format("The program handed back a layer with {}.", counted(layer.m(), "head"));
    phase.estimates = {layer};
    run.recorder.report().layer = std::move(layer);
  });
}

}  // namespace hardhead::learner
