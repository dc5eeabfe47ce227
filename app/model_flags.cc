#include "app/model_flags.h"

#include "app/flags.h"

namespace hardhead::app {

const FlagTable<attention::ModelOptions>& model_flags() {
  using attention::ModelOptions;
  static const FlagTable<ModelOptions> flags = [] {
    std::vector<std::string> names;
    for (const attention::Architecture& row : attention::architectures()) names.push_back(row.name);
    std::string listed;
    for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
    constexpr attention::Index most_offset = 1 << 30;
    return FlagTable<ModelOptions>()
        .flag({"--arch", "NAME",
               "architecture of a checkpoint: " + listed + " (default: as its tensors' names show it)"},
              &ModelOptions::architecture, one_of_names(names))
        .flag({"--num-heads", "H",
               "attention heads of each layer of a checkpoint (default: what its config.json says)"},
              &ModelOptions::heads, integer_in<attention::Index>(1, most_heads))
        .flag({"--offset", "DELTA",
               "rotary embeddings: Theta of tokens at positions r and r + DELTA, -2^30 .. 2^30 (default 0)"},
              &ModelOptions::offset, integer_in<attention::Index>(-most_offset, most_offset));
  }();
  return flags;
}

Flag layer_flag() {
  return {"--layer", "N", "attention layer of a checkpoint, from 0 on"};
}

Reader<attention::Index> layer_number() {
  return integer_in<attention::Index>(0, 1 << 20);
}

}  // namespace hardhead::app
