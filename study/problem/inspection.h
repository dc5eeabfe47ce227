#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attention/layer/layer.h"
#include "attention/samples/inputs.h"
#include "base/run/run_context.h"

namespace hardhead::study {

/// What a safetensors file holds, whether this program wrote it or another one.
struct Inspection {
  /// Norms of one head's matrices.
  struct HeadSummary {
    double theta_norm = 0, w_norm = 0;                ///< Frobenius
    double theta_stable_rank = 0, w_stable_rank = 0;  ///< ||A||^2 / |A|^2; 0 for a zero matrix
  };
  /// Shape and heads of a layer.
  struct LayerSummary {
    attention::Index d = 0;                   ///< features
    std::vector<HeadSummary> heads;           ///< in the file's order
    double w_sum_norm = 0;                    ///< Frobenius norm of sum_i W_i
    std::optional<attention::Index> width{};  ///< units of a network behind the heads
  };
  /// Shape and scale of a data set.
  struct DataSummary {
    std::int64_t examples = 0;                              ///< N
    attention::Index d = 0, k = 0;                          ///< features, tokens
    attention::Inputs inputs = attention::Inputs::boolean;  ///< as FileSource reads it
    double label_rms = 0;                                   ///< root mean square of the entries of y
  };

  std::optional<LayerSummary> layer;            ///< of a layer file
  std::optional<DataSummary> data;              ///< of a data file
  std::map<std::string, std::string> metadata;  ///< as the file has it
  std::string content_digest;                   ///< attention::content_digest()
  /// Whether the file's content agrees with the digest in its metadata and, where it carries a spec, with the
  /// instance that this spec makes. Empty if it carries no digest.
  std::optional<bool> digest_right;
  std::string digest_note;  ///< one sentence on it
};

/// Reads and checks the whole file. Throws InputError as Source::resolve() does, but a layer needs no k.
/// `context` can stop it (Stopped).
Inspection inspect_file(const std::string& path, const RunContext& context = {});

}  // namespace hardhead::study
