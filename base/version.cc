#include "base/version.h"

namespace hardhead {

std::string version() {
  return HARDHEAD_VERSION;
}

}  // namespace hardhead
