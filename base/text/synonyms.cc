#include "base/text/synonyms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace hardhead {
namespace {

/// Without the dashes of a flag, and with '-' for '_'.
std::string bare(std::string_view name) {
  std::string out(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::replace(out, '_', '-');
  return out;
}

/// Names that stand for one thing, here or in other programs: a line each.
constexpr std::array<std::string_view, 17> synonyms{
    "|rate|lr|learning-rate|step-size|",
    "|m|heads|n-heads|num-heads|nheads|head|",
    "|k|tokens|n-tokens|num-tokens|seq-len|",
    "|d|dim|features|d-model|n-features|embed-dim|",
    "|steps|iterations|iters|epochs|max-iter|n-iter|",
    "|batch|batch-size|bs|",
    "|until|tol|target|",
    "|method|learner|algorithm|model|optimizer|optimiser|",
    "|examples|samples|n|n-samples|count|",
    "|seed|random-state|rng|",
    "|seeds|runs|repeats|trials|reps|",
    "|time-limit|timeout|max-time|",
    "|memory-limit|max-memory|",
    "|jobs|workers|parallel|processes|j|",
    "|threads|cores|cpus|",
    "|inputs|distribution|",
    "|out|output|o|",
};

}  // namespace

bool are_synonyms(std::string_view a, std::string_view b) {
  return std::ranges::any_of(synonyms, [&](std::string_view line) {
    const auto has = [&](std::string_view name) {
      return line.find(fmt::format("|{}|", bare(name))) != std::string_view::npos;
    };
    return has(a) && has(b);
  });
}

}  // namespace hardhead
