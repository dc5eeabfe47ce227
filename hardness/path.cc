#include <algorithm>

#include "hardness/nice_layer.h"
#include "hardness/portable_matrix.h"
#include "hardness/registered_families.h"

namespace hardhead::hardness {
namespace {

/// The parameters of `family` among p's, by name.
Parameters part_of(const Parameters& p, const Family& family) {
  Spec spec{family.name, {}};
  for (const auto& value : p.canonical().values)
    if (std::ranges::find(family.parameters, value.first, &Parameter::name) != family.parameters.end())
      spec.values.push_back(value);
  return Parameters(spec, family.parameters);
}

/// (1 - t) * from + t * to, head by head.
attention::Layer point_between(const attention::Layer& from, const attention::Layer& to, double t) {
  attention::Layer out{from.d, {}};
  for (std::size_t i = 0; i < from.heads.size(); ++i)
    out.heads.push_back({combination(1 - t, from.heads[i].theta, t, to.heads[i].theta),
                         combination(1 - t, from.heads[i].w, t, to.heads[i].w)});
  return out;
}

/// Towards the member of a hard family that the same parameters name. Its own labels and null predictor are
/// kept at t = 1 only.
Instance make(const Parameters& p, const Family& hard_family) {
  Instance out = hard_family.make(part_of(p, hard_family));
  const double t = p.real("t");
  if (t == 1) return out;
  const attention::Layer nice = nice_layer(out.layer.d, out.layer.m(), p.real("theta_norm"), p.real("w_norm"),
                                           static_cast<std::uint64_t>(p.integer("seed")));
  out.layer = point_between(nice, out.layer, t);
  out.exact.reset();
  out.teacher = std::make_shared<attention::LayerTeacher>(out.layer);
  out.null = {};
  if (t == 0) out.hidden.clear();
  return out;
}

Family path_towards(const Family& hard) {
  Family f;
  f.parameters = hard.parameters;
  const Parameter seed = f.parameters.back();
  f.parameters.pop_back();
  for (const Parameter& norm : norms_and({})) f.parameters.push_back(norm);
  f.parameters.push_back(Parameter::real("t", 0.5, 0, 1, "0: nice, 1: " + hard.name));
  f.parameters.push_back(seed);
  f.make = [hard](const Parameters& p) { return make(p, hard); };
  return f;
}

}  // namespace

Family detail::path_family() {
  Family f = path_towards(parity_family());
  f.name = "path";
  f.summary = "from a nice layer (t=0) to a parity layer (t=1) of as many heads, linear in Theta and W";
  f.hidden = "every Theta_i and W_i; at t=1 the set S of the parity layer only";
  f.assumptions =
      "nice's at t=0, parity's hardness at t=1 and nothing in between, where labels are a forward pass; k=2. "
      "The null predictor is the best affine function of (x_r, mean row) throughout: at t=1 it is parity's";
  f.presets = {{"path:m=2,variant=minimal", "halfway to the XOR of two hidden bits, two heads"},
               {"path:t=0.9", "nine tenths of the way to a parity of six bits, eight heads"}};
  return f;
}

Family detail::lwr_path_family() {
  Family f = path_towards(lwr_family());
  f.name = "lwr-path";
  f.summary = "from a nice layer (t=0) to an lwr layer (t=1) of as many heads, linear in Theta and W";
  f.hidden = "every Theta_i and W_i; at t=1 the secret of the lwr layer only";
  f.assumptions =
      "nice's at t=0, lwr's at t=1 and nothing in between, where labels are a forward pass; k=2. The null "
      "predictor is the best affine function of (x_r, mean row) throughout, and lwr's own at t=1";
  f.presets = {
      {"lwr-path:n=6,q=4,secret=binary", "halfway to six hidden bits, 3 |w| + 2 heads of 13 features"}};
  return f;
}

}  // namespace hardhead::hardness
