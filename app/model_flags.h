#pragma once
#include "app/flag_table.h"
#include "attention/files/model.h"

namespace hardhead::app {

/// --arch, --num-heads, --offset: how a checkpoint is read.
const FlagTable<attention::ModelOptions>& model_flags();
/// --layer
Flag layer_flag();
/// The numbers that --layer takes.
Reader<attention::Index> layer_number();

}  // namespace hardhead::app
