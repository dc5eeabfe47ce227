#include "learner/phases/six_phases_options.h"

namespace hardhead::learner {

SixPhasesOptions SixPhasesOptions::all(Route route) {
  SixPhasesOptions options;
  for (Route SixPhasesOptions::* phase :
       {&SixPhasesOptions::w_sum, &SixPhasesOptions::hull, &SixPhasesOptions::w_sum_refined,
        &SixPhasesOptions::hull_refined, &SixPhasesOptions::span, &SixPhasesOptions::net})
    options.*phase = route;
  return options;
}

OptionTable<SixPhasesOptions> six_phases_table(Route route) {
  using Options = SixPhasesOptions;
  return OptionTable<Options>(Options::all(route))
      .choice("w_sum", &Options::w_sum, "one gradient step (paper) or least squares")
      .choice("hull", &Options::hull,
              "rows certified in the sup norm, a convex body, linear programmes (paper) or eigenvectors")
      .choice("w_sum_refined", &Options::w_sum_refined,
              "one regression on certified rows of large margin (paper) or a trimmed one")
      .choice("hull_refined", &Options::hull_refined, "as hull")
      .choice("span", &Options::span,
              "heads sought in the span of the hull, m coordinates (paper), or on it, m - 1")
      .choice("net", &Options::net, "all m-tuples of a net (paper) or greedy choice, exchange and refinement")
      .integer("rows", &Options::rows, 0, 1e9,
               "certified rows kept; 0: 3 d^2 / (k-1) (paper) or 8 d^2 / (k-1)")
      .integer("first", &Options::first, 0, 1e12,
               "examples of the first look, later ones double; 0: 25000 d, at most 10^6")
      .integer("budget", &Options::budget, 0, 1e12,
               "examples at most where the task does not say; 0: some minutes' worth (docs/learner.md)")
      .real("floor", &Options::floor, 1e-6, 0.5, "rows with an attention weight below it are not used")
      .integer("w_sum_examples", &Options::w_sum_examples, 1, 1e12, "examples of phase 1")
      .real("margin_share", &Options::margin_share, 1e-9, 1,
            "share of rows, of largest margin, looked at in phase 3")
      .real("margin_kept", &Options::margin_kept, 1e-3, 1, "share of those kept (at least 3 d rows)")
      .integer("rounds", &Options::rounds, 0, 1000, "repetitions of phases 3 and 4")
      .integer("max_heads", &Options::max_heads, 1, 64, "largest number of heads the gap may name")
      .real("slack", &Options::slack, 1, 1000,
            "half-width of the body's slabs, in multiples of the least possible")
      .integer("net_examples", &Options::net_examples, 1, 1e9, "examples of phase 6")
      .integer("net_points", &Options::net_points, 0, 1e7, "points of the net, at most; 0: 300 (paper), 1500")
      .real("net_radius", &Options::net_radius, 0.1, 100,
            "radius of the net, in expected distances of a head")
      .integer(
          "net_restarts", &Options::net_restarts, 0, 1e6,
          "further tries of the practical net while its error is above 1e-2 (none on a hull of gap below 3)")
      .integer("tuples", &Options::tuples, 1, 1e15, "most tuples of heads the paper's net may try");
}

}  // namespace hardhead::learner
