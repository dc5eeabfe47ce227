#include "learner/certificate/harvest.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <utility>

#include "attention/forward/single_block.h"
#include "attention/samples/reduce_blocks.h"
#include "base/numeric/simd.h"
#include "learner/certificate/certify.h"
#include "learner/certificate/row_content.h"
#include "learner/certificate/screen.h"
#include "learner/certificate/sup_norm.h"

namespace hardhead::learner {
namespace {

// Examples, and who watches the pass over them.
struct Pass {
  const ExampleRange& examples;
  const RunContext& context;
  std::string_view phase;
};

// The best rows of a part of the examples.
struct Part {
  TopRows top;
  // Examples that screening has not ruled out: by some of their labels' features, and by all of them.
  std::vector<std::int64_t> for_all_features{}, for_double{};
};

void put_all(std::string& to, const std::vector<std::int64_t>& numbers) {
  const std::size_t count = numbers.size();
  put(to, &count, 1);
  put(to, numbers.data(), count);
}

void take_all(std::string_view& from, std::vector<std::int64_t>& numbers) {
  std::size_t count = 0;
  take(from, &count, 1);
  numbers.resize(count);
  take(from, numbers.data(), count);
}

constexpr Serializer<Part> part_wire{[](const Part& part, std::string& to) {
                                       part.top.write(to);
                                       put_all(to, part.for_all_features);
                                       put_all(to, part.for_double);
                                     },
                                     [](std::string_view& from, const Part& identity) {
                                       Part part{TopRows::read(from, identity.top)};
                                       take_all(from, part.for_all_features);
                                       take_all(from, part.for_double);
                                       return part;
                                     }};

void append(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Calls f(examples) for pieces of as many examples as a block holds, and leaves none.
template <class F>
void for_each_block(std::vector<std::int64_t>& examples, const F& f) {
  const std::vector<std::int64_t> all = std::exchange(examples, {});
  for (std::size_t done = 0; done < all.size(); done += block_size)
    f(std::span(all).subspan(done, std::min<std::size_t>(block_size, all.size() - done)));
}

// Takes the rows of a block in, by their scores, 1 x (k count): infinity where a row is not eligible. The
// n-th example of the block has the index example(n).
template <class ExampleOf>
void take_rows(const Block& block, const RowMatrix& score, const ExampleOf& example, Part& part) {
  for (Index r = 0; r < block.k; ++r)
    for (Index n = 0; n < block.count; ++n) {
      const double value = score(0, block.column(r, n));
      if (value < INFINITY && part.top.wants(value))
        part.top.push({value, example(n), r, row_content(block, r, n)});
    }
}

// The best rows of a pass by `scores(block)`, 1 x (k count), infinity where a row is not eligible. `empty` is
// the list that they go into.
template <class Scores>
Part best_rows(const Pass& pass, const TopRows& empty, const Scores& scores) {
  return reduce_blocks(
      pass.examples,
      Reduction{Part{empty},
                [&](Part& part, std::int64_t at, const Block& block) {
                  take_rows(block, scores(block), [&](Index n) { return at + n; }, part);
                },
                [](Part& left, const Part& right) { left.top.merge(right.top); }, &part_wire},
      pass.context, pass.phase);
}

// Fits of one thread, kept from block to block.
using ThreadFits = tbb::enumerable_thread_specific<RowFits>;

// ||rho|| / (s min_a p_a) of all rows.
RowMatrix euclidean_scores(const RowFits& fits, double floor) {
  const Index k = fits.pattern.rows(), count = fits.pivot.cols();
  RowMatrix scores(1, k * count);
  for (Index r = 0; r < k; ++r) {
    const auto of_row = [&](const auto& matrix) { return matrix.middleCols(r * count, count).array(); };
    const RowMatrix least = of_row(fits.pattern).colwise().minCoeff();
    const auto eligible = fits.pivot.array() > 0 && least.array() > 0 && least.array() >= floor;
    scores.middleCols(r * count, count) =
        eligible.select(of_row(fits.residual) / (fits.pivot.array() * least.array()), INFINITY);
  }
  return scores;
}

// Whether a step that spares later work on a block of examples, as screening does, is worth while: not where
// it leaves more than a given share of them. It is then left out for 1, 3, 7, .. and at most 255 blocks
// before it is tried again. What is computed does not depend on it.
class Payoff {
 public:
  // For the largest share of a block, 0 .. 1, that may be left.
  explicit Payoff(double most_left) : most_left_(most_left) {}

  // For the next block.
  bool pays() {
    if (without_ == 0) return true;
    --without_;
    return false;
  }
  // Says that the step has left `left` of `count` examples.
  void add(std::size_t left, std::size_t count) {
    const bool much = static_cast<double>(left) > most_left_ * static_cast<double>(count);
    pause_ = much ? std::min(2 * pause_ + 1, longest_pause) : 0;
    without_ = pause_;
  }

 private:
  static constexpr int longest_pause = 255;

  double most_left_;
  int pause_ = 0, without_ = 0;  // blocks of the latest pause, and those of it to come
};

// The pass of the Euclidean certificate over blocks of examples, screened in single precision (screen.h) as
// soon as there are rows to be better than.
class EuclideanPass {
 public:
  EuclideanPass(const SampleSource& source, const RowMatrix& w_t, double floor)
      : source_(source), w_t_(w_t), floor_(floor) {
    // A register of one float is no quicker than four of doubles.
    const bool quicker = simd_target() != SimdTarget::baseline;
    if (quicker && Screen::takes(source.k()) && are_signs(source.inputs())) screen_.emplace(w_t, floor);
  }

  // Examples first .. first + count - 1.
  void add(std::int64_t first, Index count, Part& part) {
    Scratch& scratch = scratch_.local();
    if (screen_ && part.top.bound() < INFINITY && scratch.screening.pays()) {
      add_screened(first, count, part);
    } else {
      scratch.block.resize(source_.d(), source_.k(), count);
      source_.read(first, scratch.block);
      score(scratch.block, [&](Index n) { return first + n; }, part);
    }
  }

  void join(Part& left, const Part& right) {
    left.top.merge(right.top);
    append(left.for_all_features, right.for_all_features);
    append(left.for_double, right.for_double);
    work_off(left, block_size);
  }

  // Leaves no example waiting.
  void finish(Part& part) { work_off(part, 1); }

 private:
  // Of one thread, kept from block to block.
  struct Scratch {
    Block block{}, padded{};
    RowFits fits{};
    SingleBlock single{};
    Floats floats{};
    Payoff screening{0.5}, few_features{0.08};
  };

  // Features of labels that are looked at first: three eighths, in whole tiles of eight.
  Index first_features() const { return std::min(source_.d(), (3 * ((source_.d() + 7) / 8) + 7) / 8 * 8); }

  void add_screened(std::int64_t first, Index count, Part& part) {
    const Index d = source_.d(), k = source_.k(), few = first_features();
    Scratch& scratch = scratch_.local();
    SingleBlock& single = scratch.single;
    const auto example = [&](Index n) { return first + n; };
    const bool by_few = few < d && scratch.few_features.pays();
    single.resize(d, k, count, by_few ? few : d);
    const bool read = source_.read_single(first, single);
    if (!read) {
      scratch.block.resize(d, k, count);
      source_.read(first, scratch.block);
      [[maybe_unused]] const bool signs = single.take(scratch.block);
      assert(signs);
    }
    const auto examples = static_cast<std::size_t>(count);
    if (read && by_few)
      scratch.few_features.add(judge(example, part, part.for_all_features), examples);
    else
      scratch.screening.add(judge(example, part, part.for_double), examples);
    work_off(part, block_size);
  }

  // Adds the examples of scratch.single that are not ruled out to `left`; returns how many.
  template <class ExampleOf>
  std::size_t judge(const ExampleOf& example, const Part& part, std::vector<std::int64_t>& left) {
    Scratch& scratch = scratch_.local();
    const Index count = scratch.single.count;
    Screen::RuledOut ruled_out;
    screen_->judge(scratch.single, part.top.bound(), scratch.floats, ruled_out);
    const std::size_t before = left.size();
    for (Index n = 0; n < count; ++n)
      if (!ruled_out[static_cast<std::size_t>(n)]) left.push_back(example(n));
    return left.size() - before;
  }

  // Goes on with examples that wait, as soon as there are so many.
  void work_off(Part& part, std::size_t enough) {
    Scratch& scratch = scratch_.local();
    if (part.for_all_features.size() >= enough)
      for_each_block(part.for_all_features, [&](std::span<const std::int64_t> some) {
        scratch.single.resize(source_.d(), source_.k(), static_cast<Index>(some.size()));
        [[maybe_unused]] const bool picked = source_.read_single(some, scratch.single);
        assert(picked);
        judge([&](Index n) { return some[static_cast<std::size_t>(n)]; }, part, part.for_double);
      });
    if (part.for_double.size() >= enough)
      for_each_block(part.for_double, [&](std::span<const std::int64_t> some) {
        Block& block = scratch.block;
        block.resize(source_.d(), source_.k(), static_cast<Index>(some.size()));
        source_.pick(some, block);
        score(block, [&](Index n) { return some[static_cast<std::size_t>(n)]; }, part);
      });
  }

  // A score must have the same bits in whatever block: whole tiles of examples, as in LayerTeacher::label().
  template <class ExampleOf>
  void score(const Block& block, const ExampleOf& example, Part& part) {
    constexpr Index tile = 24;
    Scratch& scratch = scratch_.local();
    const Index count = block.count, whole = (count + tile - 1) / tile * tile;
    if (whole == count) {
      fit_rows(w_t_, block, scratch.fits);
      return take_rows(block, euclidean_scores(scratch.fits, floor_), example, part);
    }
    Block& padded = scratch.padded;
    padded.resize(block.d(), block.k, whole);
    for (Index a = 0; a < block.k; ++a)
      for (Index n = 0; n < whole; ++n) {
        padded.x.col(padded.column(a, n)) = block.x.col(block.column(a, std::min(n, count - 1)));
        padded.y.col(padded.column(a, n)) = block.y.col(block.column(a, std::min(n, count - 1)));
      }
    fit_rows(w_t_, padded, scratch.fits);
    const RowMatrix all = euclidean_scores(scratch.fits, floor_);
    RowMatrix scores(1, block.k * count);
    for (Index a = 0; a < block.k; ++a)
      scores.middleCols(a * count, count) = all.middleCols(a * whole, count);
    take_rows(block, scores, example, part);
  }

  const SampleSource& source_;
  const RowMatrix& w_t_;
  double floor_;
  std::optional<Screen> screen_{};
  tbb::enumerable_thread_specific<Scratch> scratch_{};
};

std::vector<std::int64_t> examples_of(std::span<const ScoredRow> rows) {
  std::vector<std::int64_t> indices;
  for (const ScoredRow& row : rows) indices.push_back(row.example);
  return indices;
}

struct Certified {
  ScoredRow row;
  Vector pattern;
  bool operator<(const Certified& other) const { return row < other.row; }
};

// Adds those of `rows` that are eligible to `best`, which keeps the `keep` best, ascending.
void certify(const Pass& pass, const RowMatrix& w_t, const HarvestOptions& options,
             std::span<const ScoredRow> rows, std::vector<Certified>& best) {
  std::vector<Index> tokens;
  for (const ScoredRow& row : rows) tokens.push_back(row.row);
  const SupNormFits fits = sup_norm_fits(w_t, gather(pass.examples.source, examples_of(rows), pass.context),
                                         tokens, pass.context, pass.phase);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const auto column = static_cast<Index>(e);
    const Vector pattern = fits.pattern.col(column);
    if (!(fits.residual(column) < INFINITY) || !(pattern.minCoeff() >= options.attention_floor)) continue;
    best.push_back({rows[e], pattern});
    best.back().row.score = fits.residual(column);
  }
  std::sort(best.begin(), best.end());
  if (best.size() > static_cast<std::size_t>(options.keep)) best.resize(options.keep);
}

// Goes through rows by ascending lower bound on their score: once that exceeds the keep-th best score found,
// no other row can be among the best. A longer list of rows begins with the shorter one, so a list that ends
// too early is replaced by a longer one without loss.
Harvest by_linear_programmes(const Pass& pass, const RowMatrix& w_t, const HarvestOptions& options) {
  const auto keep = static_cast<std::size_t>(options.keep);
  const std::size_t round = std::max<std::size_t>(256, keep / 4);
  std::vector<Certified> best;
  Harvest out;
  ThreadFits fits;
  std::size_t solved = 0, listed = 8 * keep;
  for (bool settled = false; !settled; listed *= 4) {
    Part part = best_rows(pass, TopRows(static_cast<std::int64_t>(listed)), [&](const Block& block) {
      fit_rows(w_t, block, fits.local());
      return sup_norm_bounds(fits.local(), options.attention_floor);
    });
    const std::vector<ScoredRow> rows = part.top.sorted();
    settled = rows.size() < listed;
    while (solved < rows.size()) {
      const double worst = best.size() < keep ? INFINITY : best.back().row.score;
      if (rows[solved].score > worst) {
        settled = true;
        break;
      }
      std::size_t stop = solved;
      while (stop < std::min(solved + round, rows.size()) && rows[stop].score <= worst) ++stop;
      certify(pass, w_t, options, std::span(rows).subspan(solved, stop - solved), best);
      solved = stop;
    }
  }
  out.programmes = static_cast<std::int64_t>(solved);
  for (const Certified& one : best) out.rows.push_back(one.row);
  out.examples = gather(pass.examples.source, examples_of(out.rows), pass.context);
  out.patterns.resize(pass.examples.source.k(), static_cast<Index>(best.size()));
  for (std::size_t e = 0; e < best.size(); ++e) out.patterns.col(static_cast<Index>(e)) = best[e].pattern;
  return out;
}

}  // namespace

GrowingHarvest::GrowingHarvest(const ExampleRange& none_yet, const Matrix& w_sum,
                               const HarvestOptions& options)
    : source_(&none_yet.source),
      first_(none_yet.first),
      w_t_(w_sum.transpose()),
      floor_(options.attention_floor),
      top_(options.keep) {}

void GrowingHarvest::read(std::int64_t count, const RunContext& context, std::string_view phase) {
  const ExampleRange more{*source_, first_ + seen_, count};
  EuclideanPass pass(*source_, w_t_, floor_);
  Part part =
      reduce_ranges(more,
                    Reduction{Part{top_.further_part()},
                              [&](Part& to, std::int64_t first, std::int64_t examples) {
                                pass.add(first, static_cast<Index>(examples), to);
                              },
                              [&](Part& left, const Part& right) { pass.join(left, right); }, &part_wire},
                    context, phase);
  pass.finish(part);
  top_.merge(part.top);
  seen_ += count;
}

Harvest GrowingHarvest::harvest(const RunContext& context) {
  Harvest out;
  out.rows = top_.sorted();
  out.rows_seen = seen_ * source_->k();
  out.patterns.resize(source_->k(), static_cast<Index>(out.rows.size()));
  ThreadFits fits;
  out.examples = gather(*source_, examples_of(out.rows), context, [&](Index first, const Block& some) {
    fit_rows(w_t_, some, fits.local());
    for (Index e = 0; e < some.count; ++e)
      out.patterns.col(first + e) =
          fits.local().pattern.col(some.column(out.rows[static_cast<std::size_t>(first + e)].row, e));
  });
  return out;
}

Harvest harvest(const ExampleRange& examples, const Matrix& w_sum, const HarvestOptions& options,
                const RunContext& context, std::string_view phase) {
  if (options.certificate == CertificateNorm::euclidean) {
    GrowingHarvest growing({examples.source, examples.first, 0}, w_sum, options);
    growing.read(examples.count, context, phase);
    return growing.harvest(context);
  }
  Harvest out = by_linear_programmes({examples, context, phase}, w_sum.transpose(), options);
  out.rows_seen = examples.count * examples.source.k();
  return out;
}

double harvest_bytes(Index d, Index k, std::int64_t examples, const HarvestOptions& options) {
  const std::int64_t blocks = blocks_of(examples), rows = examples * k, keep = std::min(options.keep, rows);
  // By linear programmes a list grows until it settles, to all rows at worst.
  const bool paper = options.certificate == CertificateNorm::sup_norm;
  const double lists = TopRows::bytes(paper ? rows : keep, blocks, block_size * k);
  // A thread has a padded block, and what screening takes, beside its block and the fits of its rows.
  const double scratch = row_fits_bytes(d, k) + example_bytes(d, k, block_size) + screen_bytes(d, k);
  const double reading = reduce_blocks_bytes(d, k, examples, 0, scratch);
  const double kept = example_bytes(d, k, keep) + static_cast<double>(keep) * static_cast<double>(8 * k + 64);
  // Programmes of some rows at a time are solved beside those that are kept.
  return lists + reading + (paper ? 2 : 1) * kept;
}

}  // namespace hardhead::learner
