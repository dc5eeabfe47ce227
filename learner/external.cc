#include "learner/external.h"

#include <fmt/format.h>

#include <cmath>

#include "attention/layer_file.h"
#include "attention/relative_error.h"
#include "attention/safetensors.h"
#include "base/error.h"
#include "base/external_command.h"
#include "base/shown.h"
#include "base/temporary_folder.h"
#include "learner/blocks.h"
#include "learner/cost.h"
#include "learner/fitting.h"
#include "learner/linear_w.h"

namespace hardhead::learner {

using namespace attention;

namespace {

constexpr std::string_view prefix = "exec:", key = "command=";

std::vector<double> array_of(const RowMatrix& values, const Block& block) {
  std::vector<double> out(static_cast<std::size_t>(values.size()));
  write_as_array(values, block.k, out.data());
  return out;
}

class External {
 public:
  External(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control)
      : source_(source), task_(task), command_(options.text("command")), control_(control) {
    const Split parts = stream_split(*task.examples);
    fitted_ = parts.fitted, held_back_ = parts.held_back;
  }

  Report run(Observer* observer) {
    const Stopwatch watch;
    report_.examples_used = *task_.examples;
    report_.phases.push_back({.name = "exec", .examples = *task_.examples});
    try {
      call();
    } catch (const Stopped& stopped) {
      report_.ending = Ending::stopped;
      report_.message = stopped.reason;
    }
    report_.phases.back().seconds = watch.seconds();
    if (observer != nullptr && report_.layer) observer->layer(0, *report_.layer);
    return std::move(report_);
  }

 private:
  void call() {
    write_data();
    const std::string line = fmt::format("{} {} {}", command_, shell_quoted(folder_.file("data.safetensors")),
                                         shell_quoted(folder_.file("result.safetensors")));
    const CommandEnding ending = run_command(line, folder_.file("log"), task_.memory_limit_bytes, control_);
    if (!ending.well()) {
      fail(fmt::format("the program ended with {}{}", ending.str(),
                       ending.last_words.empty() ? "" : ": " + shown(last_line(ending.last_words))));
    } else {
      try {
        read_result();
      } catch (const InputError& error) {
        fail(fmt::format("the program's result cannot be used: {}", error.what()));
      }
    }
  }

  static std::string last_line(const std::string& text) { return text.substr(text.rfind('\n') + 1); }

  void fail(std::string message) {
    report_.ending = Ending::failed;
    report_.failed_phase = "exec";
    report_.message = std::move(message);
  }

  void write_data() const {
    const Index k = source_.k(), d = source_.d();
    const DType x = source_.inputs() == Inputs::boolean ? DType::i8 : DType::f64;
    std::map<std::string, std::string> metadata{{"inputs", to_string(source_.inputs())},
                                                {"seed", std::to_string(task_.seed)}};
    if (task_.heads) metadata["heads"] = std::to_string(*task_.heads);
    SafetensorsWriter writer(folder_.file("data.safetensors"),
                             {{"x", x, {fitted_, k, d}},
                              {"y", DType::f64, {fitted_, k, d}},
                              {"x_held_back", x, {held_back_, k, d}}},
                             metadata);
    const auto write = [&](std::int64_t first, std::int64_t count, std::size_t to, bool labels) {
      std::int64_t at = 0;
      for (const Block& block : read_blocks(source_, first, count, control_)) {
        writer.write(to, at * k * d, array_of(block.x, block));
        if (labels) writer.write(1, at * k * d, array_of(block.y, block));
        at += block.count;
      }
    };
    write(0, fitted_, 0, true);
    write(fitted_, held_back_, 2, false);
    writer.commit();
  }

  void read_result() {
    const SafetensorsFile file(folder_.file("result.safetensors"));
    const std::vector<Block> held = read_blocks(source_, fitted_, held_back_, control_);
    if (file.has("theta")) {
      Layer layer = read_layer(file);
      if (layer.d != source_.d())
        throw InputError(fmt::format("its layer has d = {}, not {}", layer.d, source_.d()));
      const double error = relative_error(held, layer);
      report_.phases.back().add("holdout_error", error);
      report_.message = fmt::format("{} heads, held-back error {:.2g}", layer.m(), error);
      report_.layer = std::move(layer);
      return;
    }
    const double error = error_of(file.tensor("y_held_back"), held);
    report_.phases.back().add("holdout_error", error);
    report_.prediction_error = error;
    report_.message = fmt::format("predictions, held-back error {:.2g}", error);
  }

  double error_of(const SafetensorsFile::Tensor& found, const std::vector<Block>& held) const {
    const std::vector<std::int64_t> shape{held_back_, source_.k(), source_.d()};
    if (found.shape != shape)
      throw InputError(fmt::format("'y_held_back' is not [{}, {}, {}]", shape[0], shape[1], shape[2]));
    double wrong = 0, all = 0;
    std::int64_t at = 0;
    for (const Block& block : held)
      for (const double y : array_of(block.y, block)) {
        const double value = SafetensorsFile::element(found, at++);
        if (!std::isfinite(value))
          throw InputError(fmt::format("'y_held_back', element {}: {}", at - 1, value));
        wrong += (value - y) * (value - y);
        all += y * y;
      }
    return attention::relative_error(wrong, all);
  }

  const SampleSource& source_;
  const Task& task_;
  const std::string& command_;
  const RunControl& control_;
  std::int64_t fitted_ = 0, held_back_ = 0;
  TemporaryFolder folder_{"hardhead-exec"};
  Report report_;
};

Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer* observer) {
  return External(source, task, options, control).run(observer);
}

std::int64_t default_examples(Index, Index, const Task&, const Parameters&) {
  return 20'000;
}

// Our own share: the examples, twice.
double predicted_bytes(Index d, Index k, const Task& task, const Parameters&) {
  return 2 * example_bytes(d, k, *task.examples);
}

std::optional<double> predicted_seconds(Index, Index, Index, const Task&, const Parameters&) {
  return std::nullopt;
}

}  // namespace

Spec parse_method(std::string_view text) {
  if (!text.starts_with(prefix)) return Spec::parse(text);
  std::string_view command = text.substr(prefix.size());
  if (command.starts_with(key)) command.remove_prefix(key.size());
  if (command.empty()) throw InputError("method 'exec:': a command is expected after the colon");
  return {"exec", {{"command", std::string(command)}}};
}

const Method external_method{
    "exec",
    "a program of your own, as in exec:COMMAND: it gets a data file and a path for its result",
    "the program's own",
    {Parameter::text("command", "what the shell runs, with two file names appended (learner/external.h)")},
    default_examples,
    predicted_bytes,
    predicted_seconds,
    run};

}  // namespace hardhead::learner
