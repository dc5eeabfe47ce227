#include "lwe/problem/kernel.h"

#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace hardhead::lwe {
namespace {

using Row = std::vector<std::uint64_t>;

/// A triangular form of the module that rows span: for each column at most one row that begins there.
class Triangle {
 public:
  Triangle(std::int64_t n, std::int64_t q)
      : q_(static_cast<std::uint64_t>(q)),
        two_(std::has_single_bit(q_)),
        pivots_(static_cast<std::size_t>(n)) {}

  void add(Row row) {
    std::vector<Row> waiting{std::move(row)};
    while (!waiting.empty()) {
      Row next = std::move(waiting.back());
      waiting.pop_back();
      for (std::size_t c = 0; c < next.size(); ++c) {
        if (next[c] == 0) continue;
        Row& pivot = pivots_[c];
        if (pivot.empty() || power(next[c]) < power(pivot[c])) {
          std::swap(pivot, next);
          make_monic(pivot, c);
          waiting.push_back(multiple(pivot, q_ / power(pivot[c])));  // what of it lies past the column
        }
        if (next.empty()) break;
        const std::uint64_t factor = q_ - next[c] / pivot[c];
        for (std::size_t j = c; j < next.size(); ++j) next[j] = (next[j] + factor * pivot[j]) % q_;
      }
    }
  }

  double log2_kernel() const {
    double sum = 0;
    for (std::size_t c = 0; c < pivots_.size(); ++c)
      sum += std::log2(static_cast<double>(pivots_[c].empty() ? q_ : power(pivots_[c][c])));
    return sum;
  }

 private:
  /// The power of two in an entry; 1 mod an odd prime, where each entry but 0 is a unit.
  std::uint64_t power(std::uint64_t entry) const {
    return two_ ? std::uint64_t{1} << std::countr_zero(entry) : 1;
  }

  Row multiple(const Row& row, std::uint64_t factor) const {
    Row out = row;
    for (std::uint64_t& entry : out) entry = entry * (factor % q_) % q_;
    return out;
  }

  /// Multiplies the row by a unit so that its entry at c is a power of two, or 1.
  void make_monic(Row& row, std::size_t c) const {
    const std::uint64_t unit = row[c] / power(row[c]);
    // unit^(phi(q) - 1) is its inverse.
    std::uint64_t inverse = 1, base = unit % q_;
    for (std::uint64_t left = (two_ ? q_ / 2 : q_ - 1) - 1; left > 0; left /= 2) {
      if (left % 2 == 1) inverse = inverse * base % q_;
      base = base * base % q_;
    }
    if (q_ > 2) row = multiple(row, inverse);
  }

  std::uint64_t q_;
  bool two_;
  std::vector<Row> pivots_;
};

}  // namespace

double log2_kernel(const Samples& samples, std::int64_t q) {
  Triangle triangle(samples.n, q);
  double left = triangle.log2_kernel();
  for (std::int64_t i = 0; i < samples.count() && left > 0; ++i) {
    const auto row = samples.row(i);
    triangle.add(Row(row.begin(), row.end()));
    // Each row halves the kernel at most l times: it cannot be trivial before there are n of them.
    if (i + 1 >= samples.n) left = triangle.log2_kernel();
  }
  return triangle.log2_kernel();
}

}  // namespace hardhead::lwe
