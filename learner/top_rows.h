#pragma once
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "attention/layer.h"

namespace hardhead::learner {

/// A row (token `row` of an example) with a score; smaller is better.
struct ScoredRow {
  double score = 0;
  std::int64_t example = 0;
  attention::Index row = 0;

  /// Ties are broken by index, so that the best n are one definite set.
  bool operator<(const ScoredRow& other) const {
    return std::tie(score, example, row) < std::tie(other.score, other.example, other.row);
  }
};

/// The n best rows of a stream. Lists of disjoint parts merge into the list of the whole.
class TopRows {
 public:
  explicit TopRows(std::int64_t keep) : keep_(static_cast<std::size_t>(keep)) {}

  void push(const ScoredRow& row) {
    ++seen_;
    rows_.push_back(row);
    if (rows_.size() > 2 * keep_ + 4096) trim();
  }
  void merge(const TopRows& other) {
    seen_ += other.seen_;
    rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
    trim();
  }
  std::int64_t seen() const { return seen_; }
  /// The best rows, ascending.
  std::vector<ScoredRow> sorted() {
    trim();
    std::sort(rows_.begin(), rows_.end());
    return rows_;
  }

 private:
  void trim() {  // linear time: called only after the list has doubled
    if (rows_.size() <= keep_) return;
    std::nth_element(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(keep_), rows_.end());
    rows_.resize(keep_);
  }

  std::size_t keep_;
  std::int64_t seen_ = 0;
  std::vector<ScoredRow> rows_;
};

}  // namespace hardhead::learner
