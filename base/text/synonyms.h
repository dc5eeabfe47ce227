#pragma once
#include <string_view>

namespace hardhead {

/// Whether two names of parameters or flags are words for one thing, here or in other programs: "lr" and
/// "rate", "--heads" and "m".
bool are_synonyms(std::string_view a, std::string_view b);

}  // namespace hardhead
