#include <fmt/format.h>

#include <cmath>

#include "attention/files/layer_file.h"
#include "attention/files/safetensors.h"
#include "attention/samples/relative_error.h"
#include "base/error.h"
#include "base/process/guarded_process.h"
#include "learner/fits/fitting.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/outside/program.h"

namespace hardhead::learner {
namespace {

std::vector<double> array_of(const RowMatrix& values, const Block& block) {
  std::vector<double> out(static_cast<std::size_t>(values.size()));
  write_as_array(values, block.k, out.data());
  return out;
}

// One call of the program.
class Call {
 public:
  Call(const Run& run, const std::string& command)
      : run_(run), command_(command), parts_(stream_split(run.examples())) {}

  void make(Phase& phase) {
    try {
      write_data();
    } catch (const InputError& error) {
      throw MachineError(folder_->without_path(error.what()));
    }
    const std::string line =
        fmt::format("{} {} {}", command_, shell_quoted(folder_->file("data.safetensors")),
                    shell_quoted(folder_->file("result.safetensors")));
    const CommandEnding ending = errors_as<Failed>([&] {
      return run_command(line, folder_->file("log"), run_.task.memory_limit_bytes, run_.context.stop);
    });
    if (!ending.well()) throw_ending(ending, run_.task.memory_limit_bytes.has_value(), "", *folder_);
    try {
      read_result(phase);
    } catch (const InputError& error) {
      throw Failed{
          fmt::format("the program's result cannot be used: {}", folder_->without_path(error.what()))};
    }
  }

 private:
  void write_data() const {
    const Index k = run_.source.k(), d = run_.source.d();
    const DType x = are_signs(run_.source.inputs()) ? DType::i8 : DType::f64;
    std::map<std::string, std::string> metadata{{"inputs", name_of(run_.source.inputs())},
                                                {"seed", std::to_string(run_.task.seed)}};
    if (run_.task.heads) metadata["heads"] = std::to_string(*run_.task.heads);
    SafetensorsWriter writer(folder_->file("data.safetensors"),
                             {{"x", x, {parts_.fitted, k, d}},
                              {"y", DType::f64, {parts_.fitted, k, d}},
                              {"x_held_back", x, {parts_.held_back, k, d}}},
                             metadata);
    const auto write = [&](std::int64_t first, std::int64_t count, std::size_t to, bool labels) {
      std::int64_t at = 0;
      for (const Block& block : read_blocks(run_.source, first, count, run_.context)) {
        writer.write(to, at * k * d, array_of(block.x, block));
        if (labels) writer.write(1, at * k * d, array_of(block.y, block));
        at += block.count;
      }
    };
    write(0, parts_.fitted, 0, true);
    write(parts_.fitted, parts_.held_back, 2, false);
    writer.commit();
  }

  void read_result(Phase& phase) {
    Report& report = run_.recorder.report();
    const SafetensorsFile file(folder_->file("result.safetensors"));
    const std::vector<Block> held = read_blocks(run_.source, parts_.fitted, parts_.held_back, run_.context);
    if (file.has("theta")) {
      Layer layer = read_layer(file);
      if (layer.d != run_.source.d())
        throw InputError(fmt::format("its layer has d = {}, not {}", layer.d, run_.source.d()));
      const double error = relative_error(held, layer, run_.context.stop);
      phase.add("holdout_error", error);
      report.message = fmt::format("{} heads, held-back error {:.2g}", layer.m(), error);
      phase.estimates = {layer};
      report.layer = std::move(layer);
      return;
    }
    const auto said = std::make_shared<const std::vector<Block>>(labelled(file.tensor("y_held_back"), held));
    double wrong = 0, all = 0;
    for (std::size_t b = 0; b < held.size(); ++b) {
      wrong += (held[b].y - (*said)[b].y).squaredNorm();
      all += held[b].y.squaredNorm();
    }
    const double error = attention::relative_error(wrong, all);
    phase.add("holdout_error", error);
    report.message = fmt::format("predictions, held-back error {:.2g}", error);
    report.held_back = {parts_.fitted, parts_.held_back,
                        [said, first = parts_.fitted](std::int64_t at, Block& block) {
                          block.y = (*said)[static_cast<std::size_t>((at - first) / block_size)].y;
                        }};
  }

  /// The held-back examples with the labels that the program says.
  std::vector<Block> labelled(const SafetensorsFile::Tensor& found, std::vector<Block> held) const {
    const std::vector<std::int64_t> shape{parts_.held_back, run_.source.k(), run_.source.d()};
    if (found.shape != shape)
      throw InputError(fmt::format("'y_held_back' is not [{}, {}, {}]", shape[0], shape[1], shape[2]));
    std::int64_t at = 0;
    for (Block& block : held)
      for (Index n = 0; n < block.count; ++n)
        for (Index a = 0; a < block.k; ++a)
          for (double& y : block.y.col(block.column(a, n))) {
            y = SafetensorsFile::element(found, at++);
            if (!std::isfinite(y)) throw InputError(fmt::format("'y_held_back', element {}: {}", at - 1, y));
          }
    return held;
  }

  const Run& run_;
  const std::string& command_;
  Split parts_;
  std::unique_ptr<TemporaryFolder> folder_ = folder_of_a_program();
};

}  // namespace

void ExampleProgram::run(const Run& run) const {
  Call call(run, command());
  run.recorder.phase("exec", run.examples(), [&](Phase& phase) { call.make(phase); });
}

}  // namespace hardhead::learner
