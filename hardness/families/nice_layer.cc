#include "hardness/families/nice_layer.h"

#include "base/text/seed.h"
#include "hardness/families/portable_matrix.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {

attention::Layer nice_layer(const NiceOptions& o, const Stream& stream) {
  attention::Layer layer{o.d, {}};
  for (Index i = 0; i < o.m; ++i) {
    const auto item = static_cast<std::uint64_t>(2 * i);
    layer.heads.push_back({of_norm(gaussian_matrix(stream, item, o.d, o.d), o.theta_norm),
                           of_norm(gaussian_matrix(stream, item + 1, o.d, o.d), o.w_norm)});
  }
  return layer;
}

attention::Layer nice_layer(const NiceOptions& o) {
  return nice_layer(o, Stream(Domain::instance, o.seed, "nice"));
}

OptionTable<NiceOptions> shape_rows() {
  return OptionTable<NiceOptions>()
      .integer("d", &NiceOptions::d, 1, 1024, "features of a token")
      .integer("k", &NiceOptions::k, 1, 64, "tokens (with k=1 attention is trivial and only sum W_i is seen)")
      .integer("m", &NiceOptions::m, 1, 64, "heads");
}

OptionTable<NiceOptions> norm_rows() {
  return OptionTable<NiceOptions>()
      .real("theta_norm", &NiceOptions::theta_norm, 0, 1e6,
            "Frobenius norm of every Theta_i; 0 is uniform attention")
      .real("w_norm", &NiceOptions::w_norm, 1e-6, 1e6, "Frobenius norm of every W_i");
}

OptionTable<NiceOptions> draw_rows() {
  return OptionTable<NiceOptions>()
      .choice("inputs", &NiceOptions::inputs, "distribution of X")
      .integer("seed", &NiceOptions::seed, 0, seed_end, "which member of the family");
}

OptionTable<NiceOptions> nice_table() {
  return shape_rows().append(norm_rows()).append(draw_rows());
}

InstanceShape forward_shape(const NiceOptions& options) {
  return {.d = options.d, .k = options.k, .m = options.m, .inputs = options.inputs};
}

Instance forward_instance(const NiceOptions& options, attention::Layer layer) {
  Instance out;
  out.k = options.k;
  out.inputs = options.inputs;
  out.teacher = std::make_shared<attention::LayerTeacher>(layer);
  out.layer = std::move(layer);
  return out;
}

Family detail::nice_family() {
  Family out = make_family(
      {.name = "nice",
       .summary = "random Gaussian heads: what the upper bound is for",
       .hidden = whole_layer,
       .assumptions =
           "independent Gaussian directions: heads incoherent and W_i well conditioned relative to each "
           "other with high probability for d well above m (hardhead certify checks); no hardness is claimed",
       .presets = {{"nice", "two heads, three tokens of 16 features"}}},
      nice_table(), forward_shape,
      [](const NiceOptions& options) { return forward_instance(options, nice_layer(options)); });
  out.random_layer = [](const Spec& spec) { return nice_table().read(spec); };
  return out;
}

}  // namespace hardhead::hardness
