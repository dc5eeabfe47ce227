#pragma once
#include "attention/layer/layer.h"

/// Learners work on layers and on blocks of examples: in the sources of learner/, and in those of its headers
/// that users do not get, the names of attention/ stand without a prefix.
namespace hardhead::learner {

using namespace attention;

}  // namespace hardhead::learner
