#pragma once
#include <string>

#include "attention/layer/layer.h"

namespace hardhead::hardness {

/// Whether a layer has the form of the switch gadget (switch_gadget.h), whatever its numbers: every Theta_i
/// is diagonal, all Theta_i that are not 0 agree up to a positive factor but for one entry j0, and in row j0,
/// the same column for all i, is the only entry of W_i that is not 0. On k = 2 tokens of signs its labels are
/// a function of a sum h that should be hidden, and a forward pass in floating point writes equal ones as
/// several doubles, by h. A layer of zeros and one of a single feature do not have it.
bool has_gadget_form(const attention::Layer& layer);

/// Throws InputError for a layer of that form that is to be labelled by its forward pass; `what` is what the
/// message calls it.
void refuse_gadget_form(const attention::Layer& layer, const std::string& what);

}  // namespace hardhead::hardness
