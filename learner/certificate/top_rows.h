#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "attention/samples/reduce_blocks.h"

namespace hardhead::learner {

/// A row (token `row` of an example) with a score; smaller is better.
struct ScoredRow {
  double score = 0;           ///< how badly the row is certified
  std::int64_t example = 0;   ///< its index in the source
  attention::Index row = 0;   ///< token, 0 .. k - 1
  std::uint64_t content = 0;  ///< rows of equal content count once (row_content.h), those of content 0 all

  /// Ties are broken by index, so that the best n are one definite set.
  bool operator<(const ScoredRow& other) const {
    return std::tie(score, example, row) < std::tie(other.score, other.example, other.row);
  }
};

/// The n best rows of a stream; of rows of equal content only the best counts. Lists of disjoint parts merge
/// into the list of the whole, in any order: what is best in the whole is best in its part.
///
/// Copies of a list are lists of parts of the same stream and share a bound: the n-th best score among the
/// rows that all of them have taken in so far, as of lately. The n-th best of the whole is no worse, so rows
/// beyond the bound can be forgotten: that saves work, and how much depends on the threads, but it never
/// changes the result.
class TopRows {
 public:
  /// Needs keep >= 1.
  explicit TopRows(std::int64_t keep)
      : keep_(static_cast<std::size_t>(keep)), shared_(std::make_shared<Shared>()) {}

  /// False if a row of this score cannot be among the best.
  bool wants(double score) const { return score <= bound(); }
  /// No row of a larger score can be among the best; infinity as long as there are few rows.
  double bound() const { return shared_->bound.load(std::memory_order_relaxed); }

  /// Takes the row in, if it can be among the best.
  void push(const ScoredRow& row) {
    if (!wants(row.score)) return;
    rows_.push_back(row);
    if (rows_.size() > longest(keep_)) trim();
    unshared_.push_back(row);
    share();
  }
  /// An empty list for a further part of the stream: it shares the bound.
  TopRows further_part() const {
    TopRows out = *this;
    out.rows_.clear(), out.unshared_.clear();
    return out;
  }
  /// Takes in the rows of another part of the stream.
  void merge(const TopRows& other) {
    rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
    if (rows_.size() > longest(keep_)) trim();
    unshared_.insert(unshared_.end(), other.unshared_.begin(), other.unshared_.end());
    share();
  }
  /// For other ranks (base/run/shared_reduce.h). A list that is read keeps as many as `identity` does.
  void write(std::string& to) const {
    const std::size_t count = rows_.size();
    put(to, &count, 1);
    put(to, rows_.data(), count);
  }
  /// The inverse of write().
  static TopRows read(std::string_view& from, const TopRows& identity) {
    TopRows out = identity;
    std::size_t count = 0;
    take(from, &count, 1);
    out.rows_.resize(count);
    take(from, out.rows_.data(), count);
    return out;
  }
  /// Bytes of all lists that a pass over blocks of this many rows has at a time, at most. Lists are disjoint,
  /// and those of the smaller halves of the stream are short; all may be half full. Each has rows that it has
  /// not shared yet beside it, and each thread the table by which it finds equal contents.
  static double bytes(std::int64_t keep, std::int64_t blocks, std::int64_t rows_a_block) {
    const double all = static_cast<double>(blocks) * static_cast<double>(rows_a_block),
                 most = static_cast<double>(longest(static_cast<std::size_t>(keep)));
    double of_thread = 0;
    for (double rows = static_cast<double>(attention::blocks_read_a_run * rows_a_block);; rows *= 2) {
      of_thread += std::min({rows, most, all}) + std::min(rows, static_cast<double>(2 * most_unshared));
      if (rows >= all) break;
    }
    const double table = sizeof(std::size_t) * (4 * std::min(2 * most, all) + 2);
    return 2 * sizeof(ScoredRow) * (std::min(threads() * of_thread, 2 * all) + 2 * std::min(most, all)) +
           threads() * table;
  }
  /// The best rows, ascending.
  std::vector<ScoredRow> sorted() {
    trim();
    std::sort(rows_.begin(), rows_.end());
    return rows_;
  }

 private:
  struct Shared {
    std::atomic<double> bound = INFINITY;
    std::mutex mutex{};
    std::vector<ScoredRow> seen{};  // of all parts, those that the bound follows from
  };

  // Rows are shared by the dozen, and later where another thread is at it, as long as they are not too many:
  // the bound may lag, but threads that wait for each other are slow.
  static constexpr std::size_t few_unshared = 32, most_unshared = 512;
  void share() {
    if (unshared_.size() < few_unshared) return;
    std::unique_lock lock(shared_->mutex, std::try_to_lock);
    if (!lock && unshared_.size() < most_unshared) return;
    if (!lock) lock.lock();
    std::vector<ScoredRow>& seen = shared_->seen;
    seen.insert(seen.end(), unshared_.begin(), unshared_.end());
    unshared_.clear();
    if (seen.size() > longest(keep_)) cut(seen);
  }

  // Rows of a list before it is cut.
  static std::size_t longest(std::size_t keep) { return keep + keep / 4 + 1024; }

  void trim() {
    std::erase_if(rows_, [&](const ScoredRow& row) { return !wants(row.score); });
    cut(rows_);
  }
  // Leaves the best of each content, and of these the best n, whose worst is a bound.
  void cut(std::vector<ScoredRow>& rows) const {
    leave_best_of_each_content(rows);
    if (rows.size() < keep_) return;
    const auto nth = rows.begin() + static_cast<std::ptrdiff_t>(keep_ - 1);
    std::nth_element(rows.begin(), nth, rows.end());
    for (double bound = shared_->bound; nth->score < bound;)
      if (shared_->bound.compare_exchange_weak(bound, nth->score)) break;
    rows.resize(keep_);
  }

  // By a table with open addressing, since a content is a hash already.
  static void leave_best_of_each_content(std::vector<ScoredRow>& rows) {
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> table(std::bit_ceil(2 * rows.size() + 1), none);
    std::size_t kept = 0;
    for (const ScoredRow& row : rows) {
      std::size_t at = row.content & (table.size() - 1);
      while (row.content != 0 && table[at] != none && rows[table[at]].content != row.content)
        at = (at + 1) & (table.size() - 1);
      if (row.content != 0 && table[at] != none) {
        rows[table[at]] = std::min(rows[table[at]], row);
        continue;
      }
      if (row.content != 0) table[at] = kept;
      rows[kept++] = row;
    }
    rows.resize(kept);
  }

  std::size_t keep_;
  std::shared_ptr<Shared> shared_;
  std::vector<ScoredRow> rows_;
  std::vector<ScoredRow> unshared_{};  // those that the shared bound does not know of yet
};

}  // namespace hardhead::learner
