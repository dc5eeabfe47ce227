#pragma once
#include "base/run/gather_work.h"
#include "base/run/run_context.h"

namespace hardhead::study {

/// Work that one rank of a job does for all: the root rank returns body(), the others wait for it and return
/// an empty value. If it throws InputError or Stopped, all ranks throw it, so that they end alike.
template <class Body>
auto at_root(const RunContext& context, const Body& body) -> decltype(body()) {
  if (context.communicator == nullptr) return body();
  decltype(body()) out{};
  gather_work(*context.communicator, context.stop, [&] {
    if (context.is_root()) out = body();
    return std::string();
  });
  return out;
}

}  // namespace hardhead::study
