#include "sq/dimension/clique.h"

#include <bit>

namespace hardhead::sq {
namespace {

using Set = std::vector<std::uint64_t>;

class Search {
 public:
  Search(const Graph& graph, std::int64_t nodes, const StopToken& stop)
      : graph_(graph), nodes_(nodes), stop_(stop) {}

  /// Is there a clique of `needed` vertices among the candidates? False also when the nodes ran out.
  bool extend(const Set& candidates, std::int64_t needed) {
    if (needed <= 0) return true;
    if (--nodes_ < 0) return false;
    if (nodes_ % 64 == 0) stop_.check();
    // Vertices by colour classes, each independent: the first c classes hold cliques of at most c.
    const auto [order, colour] = colouring(candidates);
    Set left = candidates;
    for (std::size_t i = order.size(); i-- > 0 && colour[i] >= needed;) {
      const std::int64_t v = order[i];
      Set inner(left.size());
      for (std::size_t w = 0; w < left.size(); ++w) inner[w] = left[w] & graph_.row(v)[w];
      if (extend(inner, needed - 1)) return true;
      if (exhausted()) return false;
      left[static_cast<std::size_t>(v / 64)] &= ~(std::uint64_t{1} << (v % 64));
    }
    return false;
  }

  bool exhausted() const { return nodes_ < 0; }

 private:
  struct Colouring {
    std::vector<std::int64_t> order, colour;
  };

  Colouring colouring(Set uncoloured) const {
    Colouring out;
    for (std::int64_t colour = 1;; ++colour) {
      Set free = uncoloured;
      bool any = false;
      for (std::size_t w = 0; w < free.size(); ++w)
        while (free[w] != 0) {
          const int bit = std::countr_zero(free[w]);
          const std::int64_t v = static_cast<std::int64_t>(w) * 64 + bit;
          out.order.push_back(v);
          out.colour.push_back(colour);
          uncoloured[w] &= ~(std::uint64_t{1} << bit);
          free[w] &= ~(std::uint64_t{1} << bit);
          for (std::size_t u = w; u < free.size(); ++u) free[u] &= ~graph_.row(v)[u];
          any = true;
        }
      if (!any) return out;
    }
  }

  const Graph& graph_;
  std::int64_t nodes_;
  const StopToken& stop_;
};

}  // namespace

std::optional<bool> has_clique(const Graph& graph, std::int64_t size, std::int64_t nodes,
                               const StopToken& stop) {
  Set all(graph.words(), ~std::uint64_t{0});
  if (graph.vertices() % 64 != 0) all.back() = (std::uint64_t{1} << (graph.vertices() % 64)) - 1;
  Search search(graph, nodes, stop);
  if (search.extend(all, size)) return true;
  if (search.exhausted()) return std::nullopt;
  return false;
}

}  // namespace hardhead::sq
