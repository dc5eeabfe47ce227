#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/run/stop_token.h"

namespace hardhead::sq {

/// An undirected graph as bit rows.
class Graph {
 public:
  /// Vertices 0 .. vertices - 1, no edges.
  explicit Graph(std::int64_t vertices)
      : vertices_(vertices),
        words_(static_cast<std::size_t>((vertices + 63) / 64)),
        rows_(static_cast<std::size_t>(vertices) * words_) {}

  /// How many there are.
  std::int64_t vertices() const { return vertices_; }
  /// 64-bit words of a row.
  std::size_t words() const { return words_; }
  /// The neighbours of v: bit u of the row.
  const std::uint64_t* row(std::int64_t v) const {
    return rows_.data() + static_cast<std::size_t>(v) * words_;
  }
  /// Adds the edge {u, v}.
  void join(std::int64_t u, std::int64_t v) {
    set(u, v);
    set(v, u);
  }

 private:
  void set(std::int64_t u, std::int64_t v) {
    rows_[static_cast<std::size_t>(u) * words_ + static_cast<std::size_t>(v / 64)] |= std::uint64_t{1}
                                                                                      << (v % 64);
  }

  std::int64_t vertices_;
  std::size_t words_;
  std::vector<std::uint64_t> rows_;
};

/// Does the graph have a clique of `size` vertices? Branch and bound: a set that is coloured with fewer
/// colours than are still needed holds no such clique (E. Tomita, T. Seki, DMTCS 2003). Empty if `nodes` were
/// visited undecided. Stopped by `stop`.
std::optional<bool> has_clique(const Graph& graph, std::int64_t size, std::int64_t nodes,
                               const StopToken& stop);

}  // namespace hardhead::sq
