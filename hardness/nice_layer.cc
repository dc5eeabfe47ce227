#include "hardness/nice_layer.h"

#include "hardness/portable_matrix.h"

namespace hardhead::hardness {

attention::Layer nice_layer(Index d, Index m, double theta_norm, double w_norm, std::uint64_t seed) {
  attention::Layer layer{d, {}};
  const Stream stream(Domain::instance, seed, "nice");
  for (Index i = 0; i < m; ++i) {
    const auto item = static_cast<std::uint64_t>(2 * i);
    layer.heads.push_back({of_norm(gaussian_matrix(stream, item, d, d), theta_norm),
                           of_norm(gaussian_matrix(stream, item + 1, d, d), w_norm)});
  }
  return layer;
}

attention::Layer nice_layer(const Parameters& p) {
  return nice_layer(p.integer("d"), p.integer("m"), p.real("theta_norm"), p.real("w_norm"),
                    static_cast<std::uint64_t>(p.integer("seed")));
}

std::vector<Parameter> layer_parameters(const std::vector<Parameter>& own) {
  std::vector<Parameter> out = {
      Parameter::integer("d", 16, 1, 1024, "features of a token"),
      Parameter::integer("k", 3, 1, 64, "tokens (with k=1 attention is trivial and only sum W_i is seen)"),
      Parameter::integer("m", 2, 1, 64, "heads"),
  };
  out.insert(out.end(), own.begin(), own.end());
  out.push_back(Parameter::choice("inputs", attention::inputs_names(), "distribution of X"));
  out.push_back(Parameter::integer("seed", 1, 0, 9e15, "which member of the family"));
  return out;
}

std::vector<Parameter> norms_and(const std::vector<Parameter>& own) {
  std::vector<Parameter> out = {
      Parameter::real("theta_norm", 2, 0, 1e6, "Frobenius norm of every Theta_i; 0 is uniform attention"),
      Parameter::real("w_norm", 1, 1e-6, 1e6, "Frobenius norm of every W_i"),
  };
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

Instance forward_instance(const Parameters& p, attention::Layer layer) {
  Instance out;
  out.k = p.integer("k");
  out.inputs = attention::parse_inputs(p.choice("inputs"));
  out.teacher = std::make_shared<attention::LayerTeacher>(layer);
  out.layer = std::move(layer);
  return out;
}

}  // namespace hardhead::hardness
