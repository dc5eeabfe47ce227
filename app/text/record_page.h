#pragma once
#include <string>

namespace hardhead::app {

/// docs/records.md: the keys of the JSON records, made of their descriptions (base/text/record.h).
std::string record_page();

}  // namespace hardhead::app
