#include "experiments/attacks/junta_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "hardness/concepts/all_members.h"
#include "sq/dimension/information.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;
using hardness::JuntaOptions;

constexpr std::int64_t later_examples = 1000;

/// A function of m bits without those on which it does not depend: values[z], bit j of z set where z_j = -1.
struct Essential {
  int bits = 0;
  std::vector<std::int64_t> values;
};

Essential essential_part(const JuntaOptions& options) {
  Essential out{static_cast<int>(options.m), hardness::junta_values(options.function, options.m)};
  for (int j = out.bits - 1; j >= 0; --j) {
    const std::size_t bit = std::size_t{1} << j;
    std::vector<std::int64_t> without;
    bool depends = false;
    for (std::size_t z = 0; z < out.values.size(); ++z) {
      if ((z & bit) != 0) continue;
      without.push_back(out.values[z]);
      depends = depends || out.values[z] != out.values[z | bit];
    }
    if (depends) continue;
    out.values = std::move(without);
    --out.bits;
  }
  return out;
}

/// Examples with the switch on, packed: bit n of flipped[j][n / 64] tells whether z_j = -1 in the n-th.
struct Observations {
  std::vector<std::vector<std::uint64_t>> flipped;
  std::vector<std::int64_t> values;  ///< of the function

  std::size_t count() const { return values.size(); }
  std::size_t word(const std::vector<Index>& coordinates, std::size_t n) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      out |= static_cast<std::size_t>(flipped[static_cast<std::size_t>(coordinates[i])][n / 64] >> n % 64 & 1)
             << i;
    return out;
  }
};

Observations observe_junta(const attention::SampleSource& source, std::int64_t first, std::int64_t count) {
  Block block(source.d(), source.k(), count);
  source.read(first, block);
  const Index j0 = source.d() - 1;
  const auto flipped = [&](Index j, Index n) { return block.token(0)(j, n) * block.token(1)(j, n) < 0; };
  Observations out;
  out.flipped.resize(static_cast<std::size_t>(j0));
  for (Index n = 0; n < count; ++n) {
    if (!flipped(j0, n)) continue;
    const std::size_t at = out.count();
    for (Index j = 0; j < j0; ++j) {
      std::vector<std::uint64_t>& words = out.flipped[static_cast<std::size_t>(j)];
      words.resize(at / 64 + 1);
      if (flipped(j, n)) words.back() |= std::uint64_t{1} << at % 64;
    }
    out.values.push_back(std::llround(block.label(0)(0, n) / (-2 * block.token(0)(j0, n))));
  }
  return out;
}

/// Sets of coordinates such that the first 64 observations with the same bits there have the same label.
class ConsistentSets {
 public:
  ConsistentSets(const Observations& seen, int size, const RunContext& context)
      : size_(static_cast<std::size_t>(size)), context_(context) {
    const std::size_t used = std::min<std::size_t>(seen.count(), 64);
    for (const std::vector<std::uint64_t>& words : seen.flipped)
      flipped_.push_back(words.empty() ? 0 : words.front());
    std::map<std::int64_t, std::uint64_t> alike;
    for (std::size_t n = 0; n < used; ++n) alike[seen.values[n]] |= std::uint64_t{1} << n;
    for (std::size_t n = 0; n < used; ++n) with_label_of_[n] = alike[seen.values[n]];
    all_ = used == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
  }

  /// Calls visit(set) for each of them, sorted.
  template <class Visit>
  void for_each(const Visit& visit) {
    set_.clear();
    extend(0, {all_}, visit);
  }

 private:
  bool one_label(std::uint64_t cell) const {
    return cell == 0 || (cell & ~with_label_of_[static_cast<std::size_t>(std::countr_zero(cell))]) == 0;
  }

  bool split_by_label(const std::vector<std::uint64_t>& cells, std::uint64_t bit) const {
    return std::ranges::all_of(
        cells, [&](std::uint64_t cell) { return one_label(cell & bit) && one_label(cell & ~bit); });
  }

  template <class Visit>
  void extend(std::size_t from, const std::vector<std::uint64_t>& cells, const Visit& visit) {
    context_.stop.check();
    const bool last = set_.size() + 1 == size_;
    for (std::size_t j = from; j + (size_ - set_.size()) <= flipped_.size(); ++j) {
      if (last && !split_by_label(cells, flipped_[j])) continue;
      set_.push_back(static_cast<Index>(j));
      if (last) {
        visit(set_);
      } else {
        std::vector<std::uint64_t> finer;
        for (const std::uint64_t cell : cells)
          for (const std::uint64_t part : {cell & flipped_[j], cell & ~flipped_[j]})
            if (!one_label(part)) finer.push_back(part);  // the others stay as they are
        extend(j + 1, finer, visit);
      }
      set_.pop_back();
    }
  }

  std::size_t size_;
  const RunContext& context_;
  std::vector<std::uint64_t> flipped_;
  std::array<std::uint64_t, 64> with_label_of_{};
  std::uint64_t all_ = 0;
  std::vector<Index> set_;
};

bool fits(const Observations& seen, const std::vector<Index>& order, const Essential& function) {
  for (std::size_t n = 0; n < seen.count(); ++n)
    if (function.values[seen.word(order, n)] != seen.values[n]) return false;
  return true;
}

/// The function's table where its j-th bit is the place[j]-th.
std::vector<std::int64_t> reordered(const Essential& function, const std::vector<int>& place) {
  std::vector<std::int64_t> out(function.values.size());
  for (std::size_t z = 0; z < out.size(); ++z) {
    std::size_t moved = 0;
    for (std::size_t j = 0; j < place.size(); ++j) moved |= (z >> place[j] & 1) << j;
    out[z] = function.values[moved];
  }
  return out;
}

/// Orders of the bits that make different functions, the first of each.
std::vector<std::vector<int>> different_orders(const Essential& function) {
  std::vector<int> place(static_cast<std::size_t>(function.bits));
  std::iota(place.begin(), place.end(), 0);
  std::vector<std::vector<int>> out;
  std::set<std::vector<std::int64_t>> known;
  do {
    if (known.insert(reordered(function, place)).second) out.push_back(place);
  } while (std::ranges::next_permutation(place).found);
  return out;
}

void validate_junta_source(const JuntaOptions& options, const attention::SampleSource& source,
                           std::int64_t examples) {
  if (source.k() != 2 || source.inputs() != attention::Inputs::boolean || source.d() != options.d)
    throw InputError(fmt::format("a junta needs k = 2, Boolean inputs and d = {}, not k = {}, {}, d = {}",
                                 options.d, source.k(), name_of(source.inputs()), source.d()));
  if (examples < 1 || examples > source.size() - later_examples)
    throw InputError(fmt::format("{} examples to search with and {} to check on: the source has {}", examples,
                                 later_examples, source.size()));
}

}  // namespace

JuntaSearch search_junta(const JuntaOptions& options, const attention::SampleSource& source,
                         std::int64_t examples, const RunContext& context) {
  validate_junta_source(options, source, examples);
  const Stopwatch watch;
  const Essential function = essential_part(options);
  const Observations seen = observe_junta(source, 0, examples);
  JuntaSearch out;
  out.examples = examples;
  out.equations = static_cast<std::int64_t>(seen.count());

  const std::vector<std::vector<int>> orders = different_orders(function);
  int functions = 0;
  ConsistentSets sets(seen, function.bits, context);
  sets.for_each([&](const std::vector<Index>& set) {
    for (const std::vector<int>& place : orders) {
      std::vector<Index> order;
      for (const int at : place) order.push_back(set[static_cast<std::size_t>(at)]);
      if (!fits(seen, order, function)) continue;
      ++functions;
      out.found = order;
    }
  });
  if (functions != 1) out.found.clear();
  if (functions == 1) {
    const Observations later = observe_junta(source, examples, later_examples);
    out.checked = static_cast<std::int64_t>(later.count());
    for (std::size_t n = 0; n < later.count(); ++n)
      if (function.values[later.word(out.found, n)] == later.values[n]) ++out.agreeing;
  }
  out.seconds = watch.seconds();
  return out;
}

std::int64_t junta_examples(const JuntaOptions& options, double failure) {
  if (!(failure > 0 && failure < 1))
    throw InputError(fmt::format("probability of failure {}: a number in (0, 1) is expected", failure));
  if (const auto pairs = hardness::junta_pairs(options)) return sq::enough_examples(*pairs, failure);
  const double differ = std::exp2(-2.0 * static_cast<double>(options.m) - 1);
  const double ln_functions = std::log(hardness::junta_functions(options).convert_to<double>());
  return static_cast<std::int64_t>(std::ceil((ln_functions - std::log(failure)) / -std::log1p(-differ)));
}

double junta_search_seconds(const JuntaOptions& options) {
  constexpr double seconds_a_bit = 8e-9;  // bench/junta_search_bench
  const Essential function = essential_part(options);
  const double n = static_cast<double>(options.d - 1), m = function.bits;
  return seconds_a_bit * m * std::exp(std::lgamma(n + 1) - std::lgamma(m + 1) - std::lgamma(n - m + 1));
}

}  // namespace hardhead::experiments
