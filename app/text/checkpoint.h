#pragma once
#include <optional>
#include <string>

#include "app/flag_table.h"
#include "attention/files/model.h"
#include "base/text/json.h"

/// Checkpoints of trained models on the command line: the flags that say how they are read, and what they
/// hold.
namespace hardhead::app {

/// --arch, --num-heads, --offset: how a checkpoint is read.
const FlagTable<attention::ModelOptions>& model_flags();
/// --layer
inline const Flag layer_flag = {"--layer", "N", "attention layer of a checkpoint"};
/// The numbers that --layer takes.
Reader<attention::Index> layer_number();

/// Throws InputError for a flag of how a checkpoint is read, where the source is none.
void check_no_model_flags(const std::string& source, const attention::ModelOptions& options,
                          std::optional<attention::Index> layer);
/// Throws InputError for an output that is one of the checkpoint's own files.
void check_output(const attention::Checkpoint& checkpoint, const std::string& path);

/// Architecture, attention layers and files with their tensors of a checkpoint, by its headers alone.
std::string checkpoint_text(const attention::Model& model);
/// Its fields as JSON.
Json checkpoint_json(const attention::Model& model);

}  // namespace hardhead::app
