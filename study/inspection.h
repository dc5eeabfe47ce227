#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attention/inputs.h"
#include "attention/layer.h"
#include "base/run_control.h"

namespace hardhead::study {

/// What a safetensors file of ours, or of anyone, holds.
struct Inspection {
  struct HeadSummary {
    double theta_norm = 0, w_norm = 0;                ///< Frobenius
    double theta_stable_rank = 0, w_stable_rank = 0;  ///< ||A||^2 / |A|^2; 0 for a zero matrix
  };
  struct LayerSummary {
    attention::Index d = 0;
    std::vector<HeadSummary> heads;
    double w_sum_norm = 0;
  };
  struct DataSummary {
    std::int64_t examples = 0;
    attention::Index d = 0, k = 0;
    attention::Inputs inputs = attention::Inputs::boolean;
    double label_rms = 0;  ///< root mean square of the entries of y
  };

  std::optional<LayerSummary> layer;
  std::optional<DataSummary> data;
  std::map<std::string, std::string> metadata;
  std::string content_digest;
  /// Does the file's content agree with the digest in its metadata (and, where it carries a spec, with the
  /// instance that this spec makes)? Empty if it carries no digest.
  std::optional<bool> digest_right;
  std::string digest_note;  ///< one sentence on it
};

/// Reads and checks the whole file. Throws InputError as open_source() does, but a layer needs no k.
/// `control` can stop it (Stopped).
Inspection inspect_file(const std::string& path, const RunControl& control = {});

}  // namespace hardhead::study
