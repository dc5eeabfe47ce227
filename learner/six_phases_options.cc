#include "learner/six_phases_options.h"

#include <utility>

namespace hardhead::learner {

std::vector<Parameter> six_phases_options(const std::string& route) {
  const std::string other = route == "paper" ? "practical" : "paper";
  const auto phase = [&](std::string name, std::string meaning) {
    return Parameter::choice(std::move(name), {route, other}, std::move(meaning));
  };
  return {
      phase("w_sum", "one gradient step (paper) or least squares"),
      phase("hull",
            "rows certified in the sup norm, a convex body, linear programmes (paper) or eigenvectors"),
      phase("w_sum_refined", "one regression on certified rows of large margin (paper) or a trimmed one"),
      phase("hull_refined", "as hull"),
      phase("span", "heads sought in the span of the hull, m coordinates (paper), or on it, m - 1"),
      phase("net", "all m-tuples of a net (paper) or greedy choice, exchange and refinement"),
      Parameter::integer("rows", 0, 0, 1e9, "certified rows kept; 0: 3 d^2 / (k-1) (paper) or 8 d^2 / (k-1)"),
      Parameter::real("floor", 0.03, 1e-6, 0.5, "rows with an attention weight below it are not used"),
      Parameter::integer("w_sum_examples", 50'000, 1, 1e12, "examples of phase 1"),
      Parameter::real("margin_share", 0.003, 1e-9, 1,
                      "share of rows, of largest margin, looked at in phase 3"),
      Parameter::real("margin_kept", 0.25, 1e-3, 1, "share of those kept (at least 3 d rows)"),
      Parameter::integer("rounds", 1, 0, 1000, "repetitions of phases 3 and 4"),
      Parameter::integer("max_heads", 8, 1, 64, "largest number of heads the gap may name"),
      Parameter::real("slack", 1.5, 1, 1000,
                      "half-width of the body's slabs, in multiples of the least possible"),
      Parameter::integer("net_examples", 1024, 1, 1e9, "examples of phase 6"),
      Parameter::integer("net_points", 0, 0, 1e7, "points of the net, at most; 0: 300 (paper), 1500"),
      Parameter::real("net_radius", 2, 0.1, 100, "radius of the net, in expected distances of a head"),
      Parameter::integer(
          "net_restarts", 5, 0, 1e6,
          "further tries of the practical net while its error is above 1e-2 (none on a hull of gap below 3)"),
      Parameter::integer("tuples", 20'000'000, 1, 1e15, "most tuples of heads the paper's net may try")};
}

}  // namespace hardhead::learner
