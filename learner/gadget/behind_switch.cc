#include "learner/gadget/behind_switch.h"

#include <fmt/format.h>

namespace hardhead::learner {

void behind_switch::check(const Run& run) {
  if (run.k() != 2 || run.source.inputs() != attention::Inputs::boolean)
    throw Failed{fmt::format("k = {} and {} inputs: layers behind a switch have 2 tokens of signs", run.k(),
                             attention::to_string(run.source.inputs()))};
}

void behind_switch::check_labels(const attention::Block& block) {
  const attention::Index switch_at = block.x.rows() - 1, n = block.count;
  if (block.y.bottomRows(switch_at).cwiseAbs().maxCoeff() > 0)
    throw Failed{"labels are not 0 in columns other than the first, as those behind a switch are"};
  const auto v = [&](attention::Index r) {
    return block.label(r).row(0).leftCols(n).array() / block.token(r).row(switch_at).leftCols(n).array();
  };
  if (((v(0) - v(1)).abs() > 1e-9 * block.y.cwiseAbs().maxCoeff()).any())
    throw Failed{"Y_{1,1} / x_{1,j0} and Y_{2,1} / x_{2,j0} differ: labels behind a switch have one value"};
}

}  // namespace hardhead::learner
