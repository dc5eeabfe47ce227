#include "base/text/seed.h"
#include "hardness/families/lwr.h"
#include "hardness/families/nice_layer.h"
#include "hardness/families/parity.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

/// The hard layer that a path leads to, without its seed; the nice one that it begins at; how far along it
/// is.
template <class Hard>
struct PathOptions {
  Hard hard;
  NiceOptions nice;  // its norms and its seed, which is the hard layer's too
  double t = 0.5;
};

/// (1 - t) * from + t * to, head by head.
attention::Layer point_between(const attention::Layer& from, const attention::Layer& to, double t) {
  attention::Layer out{from.d, {}};
  for (std::size_t i = 0; i < from.heads.size(); ++i)
    out.heads.push_back({combination(1 - t, from.heads[i].theta, t, to.heads[i].theta),
                         combination(1 - t, from.heads[i].w, t, to.heads[i].w)});
  return out;
}

/// The point t of the path to `hard`, whose own labels and null predictor are kept at t = 1 only.
Instance point_of(Instance hard, const NiceOptions& nice, double t) {
  if (t == 1) return hard;
  NiceOptions start = nice;
  start.d = hard.layer.d;
  start.m = hard.layer.m();
  const attention::Layer from = nice_layer(start);
  Instance out = std::move(hard);
  out.layer = point_between(from, out.layer, t);
  out.exact.reset();
  out.teacher = std::make_shared<attention::LayerTeacher>(out.layer);
  out.null = {};
  if (t == 0) out.hidden.clear();
  return out;
}

template <class Hard>
OptionTable<PathOptions<Hard>> path_table(const OptionTable<Hard>& hard, const std::string& name,
                                          const std::string& seed) {
  using Options = PathOptions<Hard>;
  return OptionTable<Options>()
      .part(&Options::hard, hard)
      .part(&Options::nice, norm_rows())
      .real("t", &Options::t, 0, 1, "0: nice, 1: " + name)
      .part(&Options::nice,
            OptionTable<NiceOptions>().integer("seed", &NiceOptions::seed, 0, seed_end, seed));
}

/// The hard layer's own parameters, with the path's seed.
ParityOptions hard_end(const PathOptions<ParityOptions>& options) {
  ParityOptions hard = options.hard;
  hard.seed = options.nice.seed;
  return hard;
}
LwrOptions hard_end(const PathOptions<LwrOptions>& options) {
  LwrOptions hard = options.hard;
  hard.rounding.seed = options.nice.seed;
  return hard;
}

/// The sizes of the point t of the path to a hard instance of these.
InstanceShape shape_at(InstanceShape hard, double t) {
  hard.forward = t < 1;
  return hard;
}

}  // namespace

Family detail::path_family() {
  return make_family(
      {.name = "path",
       .summary = "from a nice layer (t=0) to a parity layer (t=1) of as many heads, linear in Theta and W",
       .hidden = "every Theta_i and W_i; at t=1 the set S of the parity layer only",
       .assumptions =
           "nice's at t=0, parity's hardness at t=1 and nothing in between, where labels are a forward pass; "
           "k=2. The null predictor is the best affine function of (x_r, mean row) throughout: at t=1 it is "
           "parity's",
       .presets = {{"path:m=2,variant=minimal", "halfway to the XOR of two hidden bits, two heads"},
                   {"path:t=0.9", "nine tenths of the way to a parity of six bits, eight heads"}}},
      path_table(parity_rows(), "parity", "which member of the family"),
      [](const PathOptions<ParityOptions>& o) { return shape_at(parity_shape(hard_end(o)), o.t); },
      [](const PathOptions<ParityOptions>& o) {
        return point_of(parity_instance(hard_end(o)), o.nice, o.t);
      });
}

Family detail::lwr_path_family() {
  return make_family(
      {.name = "lwr-path",
       .summary = "from a nice layer (t=0) to an lwr layer (t=1) of as many heads, linear in Theta and W",
       .hidden = "every Theta_i and W_i; at t=1 the secret of the lwr layer only",
       .assumptions =
           "nice's at t=0, lwr's at t=1 and nothing in between, where labels are a forward pass; k=2. The "
           "null predictor is the best affine function of (x_r, mean row) throughout, and lwr's own at t=1",
       .presets = {{"lwr-path:n=6,q=4,secret=binary",
                    "halfway to six hidden bits, 3 |w| + 2 heads of 13 features"}}},
      path_table(lwr_rows(), "lwr", "which secret; plain LWR samples of it have the same"),
      [](const PathOptions<LwrOptions>& o) { return shape_at(lwr_shape(hard_end(o)), o.t); },
      [](const PathOptions<LwrOptions>& o) { return point_of(lwr_instance(hard_end(o)), o.nice, o.t); });
}

}  // namespace hardhead::hardness
