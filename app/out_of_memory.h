#pragma once
#include <string_view>

namespace hardhead::app {

/// What a command says that gets no more memory.
inline constexpr std::string_view out_of_memory =
    "out of memory: a smaller instance, fewer --examples or fewer --threads need less";

}  // namespace hardhead::app
