#include "study/problem/inspection.h"

#include <fmt/format.h>

#include "attention/files/data_file.h"
#include "attention/files/layer_file.h"
#include "base/error.h"
#include "hardness/families/family.h"
#include "hardness/niceness/niceness.h"
#include "study/problem/null_predictor.h"
#include "study/problem/source.h"

namespace hardhead::study {
namespace {

std::optional<std::string> find(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::nullopt : std::optional(found->second);
}

void judge(Inspection& inspection, bool right, std::string note) {
  inspection.digest_right = right;
  inspection.digest_note = std::move(note);
}

/// `layer` is null for a data set, whose digest is its content's and whose instance has one of its own.
void check_digest(Inspection& inspection, const attention::Layer* layer) {
  const auto digest = find(inspection.metadata, "digest");
  if (!digest) {
    inspection.digest_note = "The file carries no digest.";
    return;
  }
  const auto spec = find(inspection.metadata, "spec");
  const bool of_content = *digest == inspection.content_digest;
  if (!of_content && (layer == nullptr || !spec))
    return judge(inspection, false, "The content is not the one the digest was made of.");
  if (!spec) return judge(inspection, true, "The digest is that of the content.");
  const auto instance_digest = layer != nullptr ? digest : find(inspection.metadata, "instance_digest");
  try {
    const Spec parsed = Spec::parse(*spec);
    if (hardness::runs_a_program(parsed)) {
      inspection.digest_note = "The digest is not checked: its spec runs a program.";
      return;
    }
    const hardness::InstanceShape shape = hardness::instance_shape(parsed);
    const bool same_shape = layer != nullptr ? shape.d == layer->d && shape.m == layer->m()
                                             : shape.d == inspection.data->d && shape.k == inspection.data->k;
    if (!same_shape) return judge(inspection, false, "The instance that its spec makes has another shape.");
    const hardness::Instance instance = hardness::make_instance(parsed);
    if (layer != nullptr && attention::content_digest(instance.layer) != inspection.content_digest)
      return judge(inspection, false, "The layer is not the one its spec makes.");
    if (instance_digest && instance.digest != *instance_digest)
      return judge(inspection, false, "The instance that its spec makes has another digest.");
  } catch (const InputError& error) {
    return judge(inspection, false, fmt::format("Its spec makes no instance here: {}", error.what()));
  }
  judge(inspection, true,
        layer != nullptr ? "The layer is the one its spec makes, and the digest is that instance's."
                         : "The digest is that of the content, and its spec makes the instance it names.");
}

Inspection::LayerSummary summarise(const attention::Layer& layer) {
  Inspection::LayerSummary summary;
  summary.d = layer.d;
  summary.w_sum_norm = layer.w_sum().norm();
  if (layer.network) summary.width = layer.network->width();
  for (const attention::Head& head : layer.heads)
    summary.heads.push_back(
        {head.theta.norm(), head.w.norm(), hardness::stable_rank(head.theta), hardness::stable_rank(head.w)});
  return summary;
}

}  // namespace

Inspection inspect_file(const std::string& path, const RunContext& context) {
  const attention::SafetensorsFile file(path);
  Inspection inspection;
  inspection.metadata = file.metadata();
  if (kind_of(file) == FileKind::data) {
    const attention::FileSource source(path);
    inspection.data = {source.size(), source.d(), source.k(), source.inputs(),
                       label_rms(source, source.size(), context)};
    inspection.content_digest = attention::content_digest(source, source.size(), context);
    check_digest(inspection, nullptr);
  } else {
    const attention::Layer layer = attention::read_layer(file);
    inspection.layer = summarise(layer);
    inspection.content_digest = attention::content_digest(layer);
    check_digest(inspection, &layer);
  }
  return inspection;
}

}  // namespace hardhead::study
