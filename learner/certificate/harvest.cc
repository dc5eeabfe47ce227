#include "learner/certificate/harvest.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <limits>
#include <span>

#include "attention/samples/reduce_blocks.h"
#include "learner/certificate/certify.h"
#include "learner/certificate/row_content.h"
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
};

constexpr Serializer<Part> part_wire{[](const Part& part, std::string& to) {
                                       part.top.write(to);
                                       put(to, &part.eligible, 1);
                                     },
                                     [](std::string_view& from, const Part& identity) {
                                       Part part{TopRows::read(from, identity.top)};
                                       take(from, &part.eligible, 1);
                                       return part;
                                     }};

// The best rows of a pass by `scores(block)`, 1 x (k count), infinity where a row is not eligible. `empty` is
// the list that they go into.
template <class Scores>
Part best_rows(const Pass& pass, const TopRows& empty, const Scores& scores) {
  return reduce_blocks(pass.examples,
                       Reduction{Part{empty},
                                 [&](Part& part, std::int64_t at, const Block& block) {
                                   const RowMatrix score = scores(block);
                                   for (Index r = 0; r < block.k; ++r)
                                     for (Index n = 0; n < block.count; ++n) {
                                       const double value = score(0, block.column(r, n));
                                       if (!(value < INFINITY)) continue;
                                       ++part.eligible;
                                       if (part.top.wants(value))
                                         part.top.push({value, at + n, r, row_content(block, r, n)});
                                     }
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
  ThreadFits fits;
  const ExampleRange more{*source_, first_ + seen_, count};
  const Part part = best_rows({more, context, phase}, top_.further_part(), [&](const Block& block) {
    fit_rows(w_t_, block, fits.local());
    return euclidean_scores(fits.local(), floor_);
  });
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
  const double reading = reduce_blocks_bytes(d, k, examples, 0, row_fits_bytes(d, k));
  const double kept = example_bytes(d, k, keep) + static_cast<double>(keep) * static_cast<double>(8 * k + 64);
  // Programmes of some rows at a time are solved beside those that are kept.
  return lists + reading + (paper ? 2 : 1) * kept;
}

}  // namespace hardhead::learner
