#include "lwe/problem/kernel.h"

#include <cmath>
#include <utility>
#include <vector>

namespace hardhead::lwe {
namespace {

using Row = std::vector<std::uint64_t>;

/// Bezout's g = gcd(x, y) = u x + v y, with u and v mod q; y = 0 stands for q.
struct Bezout {
  std::uint64_t g, u, v;

  Bezout(std::uint64_t x, std::uint64_t y, std::uint64_t q) {
    auto r0 = static_cast<std::int64_t>(y == 0 ? q : y), r1 = static_cast<std::int64_t>(x);
    std::int64_t u0 = 0, u1 = 1, v0 = 1, v1 = 0;
    while (r1 != 0) {
      const std::int64_t quotient = r0 / r1;
      r0 = std::exchange(r1, r0 - quotient * r1);
      u0 = std::exchange(u1, u0 - quotient * u1);
      v0 = std::exchange(v1, v0 - quotient * v1);
    }
    const auto modulus = static_cast<std::int64_t>(q);
    g = static_cast<std::uint64_t>(r0);
    u = static_cast<std::uint64_t>((u0 % modulus + modulus) % modulus);
    v = static_cast<std::uint64_t>((v0 % modulus + modulus) % modulus);
  }
};

/// A triangular form of the module that rows span: for each column at most one row that begins there, with an
/// entry that divides q and those of all other rows of the module that begin there.
class Triangle {
 public:
  Triangle(std::int64_t n, std::int64_t q)
      : q_(static_cast<std::uint64_t>(q)), pivots_(static_cast<std::size_t>(n)) {}

  void add(Row row) {
    std::vector<Row> waiting{std::move(row)};
    while (!waiting.empty()) {
      Row next = std::move(waiting.back());
      waiting.pop_back();
      for (std::size_t c = 0; c < next.size(); ++c) {
        if (next[c] == 0) continue;
        Row& pivot = pivots_[c];
        if (pivot.empty() || next[c] % pivot[c] != 0) {
          // (next, pivot) become (u next + v pivot, (p next - n pivot) / g), by a matrix of determinant 1;
          // where there is no pivot, q at the column, which is 0, is one.
          const std::uint64_t n = next[c], p = pivot.empty() ? 0 : pivot[c];
          const Bezout bezout(n, p, q_);
          Row rest = combined(next, (p == 0 ? q_ : p) / bezout.g, pivot, q_ - n / bezout.g);
          pivot = combined(next, bezout.u, pivot, bezout.v);
          waiting.push_back(combined(pivot, q_ / bezout.g, {}, 0));  // what of it lies past the column
          next = std::move(rest);
          continue;
        }
        const std::uint64_t factor = q_ - next[c] / pivot[c];
        for (std::size_t j = c; j < next.size(); ++j) next[j] = (next[j] + factor * pivot[j]) % q_;
      }
    }
  }

  double log2_kernel() const {
    double sum = 0;
    for (std::size_t c = 0; c < pivots_.size(); ++c)
      sum += std::log2(static_cast<double>(pivots_[c].empty() ? q_ : pivots_[c][c]));
    return sum;
  }

 private:
  /// a x + b y mod q; y may be empty.
  Row combined(const Row& x, std::uint64_t a, const Row& y, std::uint64_t b) const {
    Row out = x;
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = a % q_ * out[j] % q_;
      if (!y.empty()) out[j] = (out[j] + b % q_ * y[j] % q_) % q_;
    }
    return out;
  }

  std::uint64_t q_;
  std::vector<Row> pivots_;
};

}  // namespace

double log2_kernel(const Samples& samples, std::int64_t q) {
  Triangle triangle(samples.n, q);
  double left = triangle.log2_kernel();
  for (std::int64_t i = 0; i < samples.count() && left > 0; ++i) {
    const auto row = samples.row(i);
    triangle.add(Row(row.begin(), row.end()));
    // Each row divides the kernel by q at most: it cannot be trivial before there are n of them.
    if (i + 1 >= samples.n) left = triangle.log2_kernel();
  }
  return triangle.log2_kernel();
}

}  // namespace hardhead::lwe
