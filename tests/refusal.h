#pragma once
#include <string>

#include "base/error.h"

namespace hardhead {

/// The message of the error that `call` throws, which has to be a `Refusal`; "accepted" where it throws
/// nothing.
template <class Refusal = InputError, class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Refusal& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace hardhead
