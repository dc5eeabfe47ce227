#include "study/run/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "attention/kernels/matrix_product_kernels.h"
#include "base/error.h"
#include "base/run/parallel.h"
#include "hardness/families/family.h"
#include "learner/cost.h"
#include "study/run/likely_cause.h"
#include "study/run/match.h"
#include "study/run/test_error.h"

namespace hardhead::study {
namespace {

using attention::Inputs;

/// The process with the source, whatever is done with it.
double source_bytes(const SourceShape& source) {
  double bytes = learner::process_bytes + threads() * static_cast<double>(attention::product_scratch_bytes);
  if (source.instance)
    bytes += source.instance->bytes() + threads() * source.instance->label_bytes();
  else if (source.m)
    bytes += attention::layer_bytes(source.d, *source.m);
  return bytes;
}

/// Of the null predictor, where it has to be fitted.
double null_bytes(const SourceShape& source) {
  if (source.instance && !source.instance->forward) return 0;
  const std::int64_t most = null_fit_examples(source.d, source.k);
  return null_error_bytes(source.d, source.k, std::min(source.examples.value_or(most), most));
}

SourceShape shape_of(const Problem& problem) {
  SourceShape out{.d = problem.d, .k = problem.k, .m = problem.m};
  if (problem.instance)
    out.instance = hardness::shape_of(*problem.instance);
  else
    out.examples = problem.training->size();
  return out;
}

/// Of the learner, whatever it asks.
learner::RunMemory learning_memory(const SourceShape& source, learner::ExampleShape shape,
                                   const RunOptions& options) {
  if (!options.method.asks_values())
    return options.method.predicted_memory(
        shape, source.examples.value_or(attention::SampleSource::unlimited), options.task);
  if (!source.instance) return {};  // a data file answers no queries, which ask() refuses
  return value_memory(options.method, *source.instance, options.task);
}

/// Throws InputError for a limit of time or memory that is not above 0.
void check_limits(const learner::Task& task) {
  for (const auto& [name, limit] :
       {std::pair{"time_limit", task.time_limit_seconds}, {"memory_limit", task.memory_limit_bytes}})
    if (limit && !(*limit > 0))
      throw InputError(fmt::format("{} = {}, but it must be above 0", name, *limit));
}

}  // namespace

double opening_bytes(const SourceShape& source) {
  return source_bytes(source) + null_bytes(source);
}

double predicted_bytes(const SourceShape& source, const RunOptions& options) {
  learner::ExampleShape shape{source.d, source.k};
  if (source.instance) shape.inputs = source.instance->inputs;
  const learner::RunMemory learning = learning_memory(source, shape, options);
  double score = test_error_bytes(shape.of_heads(learning.heads));
  // The cause of a failure on a hard layer is known without its certificate.
  const bool hard = source.instance && !source.instance->forward;
  if (source.m) score = std::max(score, match_bytes(source.d, *source.m, learning.heads));
  if (source.m && !hard) score = std::max(score, likely_cause_bytes(source.d, *source.m));
  return source_bytes(source) +
         std::max(null_bytes(source), learning.report + std::max(learning.work, score));
}

void check_memory(const Source& source, const RunOptions& options) {
  check_limits(options.task);
  if (options.task.memory_limit_bytes)
    learner::check_memory(options.method, predicted_bytes(source.shape(), options), options.task);
}

void check_memory(const Problem& problem, const RunOptions& options) {
  check_limits(options.task);
  if (options.task.memory_limit_bytes)
    learner::check_memory(options.method, predicted_bytes(shape_of(problem), options), options.task);
}

void check_opening(const Source& source, const RunOptions& options) {
  const std::optional<double> limit = options.task.memory_limit_bytes;
  if (!limit) return;
  if (const double bytes = opening_bytes(source.shape()); bytes > *limit)
    throw BudgetError(
        fmt::format("'{}' is predicted to need {:.3g} bytes of memory before anything is learnt of it, more "
                    "than the memory limit of {:.3g} bytes",
                    source.name(), bytes, *limit));
}

}  // namespace hardhead::study
