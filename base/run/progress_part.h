#pragma once
#include <string>

#include "base/run/progress_sink.h"

namespace hardhead {

/// The sink of a part of a run: its 0 .. 1 is begin .. end of `whole`, and its phases come after `prefix`.
/// Announcements are passed on.
inline ProgressSink progress_part(const ProgressSink& whole, double begin, double end,
                                  const std::string& prefix = {}) {
  ProgressSink out{.on_progress = {}, .on_announcement = whole.on_announcement};
  if (whole.on_progress)
    out.on_progress = [begin, end, prefix, outer = whole.on_progress](std::string_view phase, double done) {
      outer(prefix + std::string(phase), begin + done * (end - begin));
    };
  return out;
}

}  // namespace hardhead
