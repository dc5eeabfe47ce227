#include "learner/certificate/harvest.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <span>

#include "attention/forward/single_block.h"
#include "attention/samples/reduce_blocks.h"
#include "base/numeric/simd.h"
#include "learner/certificate/certify.h"
#include "learner/certificate/row_content.h"
#include "learner/certificate/screen.h"
#include "learner/certificate/sup_norm.h"

namespace hardhead::learner {

using namespace attention;

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
  std::int64_t eligible = 0;
  std::vector<std::int64_t> waiting{};  // examples that screening could not judge
};

constexpr Serializer<Part> part_wire{[](const Part& part, std::string& to) {
                                       part.top.write(to);
                                       put(to, &part.eligible, 1);
                                       const std::size_t count = part.waiting.size();
                                       put(to, &count, 1);
                                       put(to, part.waiting.data(), count);
                                     },
                                     [](std::string_view& from, const Part& identity) {
                                       Part part{TopRows::read(from, identity.top)};
                                       take(from, &part.eligible, 1);
                                       std::size_t count = 0;
                                       take(from, &count, 1);
                                       part.waiting.resize(count);
                                       take(from, part.waiting.data(), count);
                                       return part;
                                     }};

// Takes the rows of a block in, by their scores, 1 x (k count): infinity where a row is not eligible. The
// n-th example of the block has the index example(n).
template <class ExampleOf>
void take_rows(const Block& block, const RowMatrix& score, const ExampleOf& example, Part& part) {
  for (Index r = 0; r < block.k; ++r)
    for (Index n = 0; n < block.count; ++n) {
      const double value = score(0, block.column(r, n));
      if (!(value < INFINITY)) continue;
      ++part.eligible;
      if (part.top.wants(value)) part.top.push({value, example(n), r, row_content(block, r, n)});
    }
}

// The best rows of a pass by `scores(block)`, 1 x (k count), infinity where a row is not eligible. `empty` is
// the list that they go into.
template <class Scores>
Part best_rows(const Pass& pass, const TopRows& empty, const Scores& scores) {
  return reduce_blocks(pass.examples,
                       Reduction{Part{empty},
                                 [&](Part& part, std::int64_t at, const Block& block) {
                                   take_rows(block, scores(block), [&](Index n) { return at + n; }, part);
                                 },
                                 [](Part& left, const Part& right) {
                                   left.top.merge(right.top);
                                   left.eligible += right.eligible;
                                 },
                                 &part_wire},
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
    if (screen_ && part.top.bound() < INFINITY) {
      if (scratch.unscreened == 0) return add_screened(first, count, part);
      --scratch.unscreened;
    }
    scratch.block.resize(source_.d(), source_.k(), count);
    source_.read(first, scratch.block);
    score(scratch.block, [&](Index n) { return first + n; }, part);
  }

  void join(Part& left, const Part& right) {
    left.top.merge(right.top);
    left.eligible += right.eligible;
    left.waiting.insert(left.waiting.end(), right.waiting.begin(), right.waiting.end());
    if (left.waiting.size() >= block_size) score_waiting(left);
  }

  // Scores the examples that wait, in double.
  void score_waiting(Part& part) {
    for (std::size_t done = 0; done < part.waiting.size(); done += block_size) {
      const std::span<const std::int64_t> some =
          std::span(part.waiting)
              .subspan(done, std::min<std::size_t>(block_size, part.waiting.size() - done));
      Block& block = scratch_.local().block;
      block.resize(source_.d(), source_.k(), static_cast<Index>(some.size()));
      source_.pick(some, block);
      score(block, [&](Index n) { return some[static_cast<std::size_t>(n)]; }, part);
    }
    part.waiting.clear();
  }

 private:
  // Of one thread, kept from block to block.
  struct Scratch {
    Block block{}, padded{};
    RowFits fits{};
    SingleBlock single{};
    Floats floats{};
    int unscreened = 0;  // blocks to come
  };

  void add_screened(std::int64_t first, Index count, Part& part) {
    Scratch& scratch = scratch_.local();
    SingleBlock& single = scratch.single;
    single.resize(source_.d(), source_.k(), count);
    if (!source_.read_single(first, single)) {
      scratch.block.resize(source_.d(), source_.k(), count);
      source_.read(first, scratch.block);
      [[maybe_unused]] const bool signs = single.take(scratch.block);
      assert(signs);
    }
    Screen::Verdicts verdicts;
    screen_->judge(single, part.top.bound(), scratch.floats, verdicts);
    Index undecided = 0;
    for (Index n = 0; n < count; ++n)
      if (verdicts[static_cast<std::size_t>(n)] == Screen::undecided)
        part.waiting.push_back(first + n), ++undecided;
      else
        part.eligible += verdicts[static_cast<std::size_t>(n)];
    // Where screening leaves much to do, most blocks go without; the result is the same.
    constexpr int blocks_without = 15;
    if (2 * undecided > count) scratch.unscreened = blocks_without;
    if (part.waiting.size() >= block_size) score_waiting(part);
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
    out.rows_eligible = part.eligible;
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
  pass.score_waiting(part);
  top_.merge(part.top);
  eligible_ += part.eligible;
  seen_ += count;
}

Harvest GrowingHarvest::harvest(const RunContext& context) {
  Harvest out;
  out.rows = top_.sorted();
  out.rows_eligible = eligible_;
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
