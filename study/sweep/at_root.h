#pragma once
#include "base/error.h"
#include "base/run/run_context.h"

namespace hardhead::study {

/// Work that one rank of a job does for all: the root rank returns body(), the others wait for it and return
/// an empty value. If it throws InputError, all ranks throw it, so that they end alike.
template <class Body>
auto at_root(const RunContext& context, const Body& body) -> decltype(body()) {
  if (context.communicator == nullptr) return body();
  decltype(body()) out{};
  std::string error;
  try {
    if (context.is_root()) out = body();
  } catch (const InputError& refusal) {
    error = refusal.what();
  }
  error = context.communicator->all_gather(error, context.stop).front();
  if (!error.empty()) throw InputError(error);
  return out;
}

}  // namespace hardhead::study
