#include "learner/gadget/behind_switch.h"

#include <fmt/format.h>

namespace hardhead::learner {

void behind_switch::check(const Run& run) {
  if (run.k() != 2 || run.source.inputs() != attention::Inputs::boolean)
    throw Failed{fmt::format("k = {} and {} inputs: layers behind a switch have 2 tokens of signs", run.k(),
                             attention::to_string(run.source.inputs()))};
}

}  // namespace hardhead::learner
