#pragma once
#include <array>
#include <string>
#include <string_view>

#include "attention/forward/block.h"
#include "base/numeric/random.h"
#include "base/text/enum_names.h"

namespace hardhead::attention {

struct SingleBlock;  // forward/single_block.h

/// Distribution of X; every token is independent of the others and has E[x x^T] = I. In the second three the
/// last feature of every token is the constant 1, and the d - 1 others are distributed as in the first three:
/// inputs of layers with biases (layer/multihead_attention.h).
enum class Inputs {
  boolean,           ///< uniform on {-1,+1}^{k x d}
  gaussian,          ///< N(0, I)
  sphere,            ///< every token uniform on the sphere of radius sqrt(d)
  boolean_and_one,   ///< uniform on {-1,+1}^{k x (d-1)}, then 1
  gaussian_and_one,  ///< N(0, I) in d - 1 features, then 1
  sphere_and_one,    ///< uniform on the sphere of radius sqrt(d-1) in d - 1 features, then 1
};

constexpr auto enum_names(Inputs) {
  return std::to_array<EnumName<Inputs>>({{Inputs::boolean, "boolean"},
                                          {Inputs::gaussian, "gaussian"},
                                          {Inputs::sphere, "sphere"},
                                          {Inputs::boolean_and_one, "boolean+1"},
                                          {Inputs::gaussian_and_one, "gaussian+1"},
                                          {Inputs::sphere_and_one, "sphere+1"}});
}

/// The inverse of name_of(). Throws InputError naming the text and the choices.
inline Inputs parse_inputs(std::string_view text) {
  return value_named<Inputs>("inputs", text);
}

/// Whether the last feature of every token is the constant 1.
constexpr bool has_constant_feature(Inputs inputs) {
  return inputs == Inputs::boolean_and_one || inputs == Inputs::gaussian_and_one ||
         inputs == Inputs::sphere_and_one;
}
/// The last feature of tokens of this distribution.
constexpr LastFeature last_feature(Inputs inputs) {
  return has_constant_feature(inputs) ? LastFeature::is_one : LastFeature::varies;
}
/// Whether all entries of X are -1 or +1.
constexpr bool are_signs(Inputs inputs) {
  return inputs == Inputs::boolean || inputs == Inputs::boolean_and_one;
}

/// Writes tokens of these examples of `stream`, as many as the block has, into block.x. Example n is item n
/// of the stream, whatever block it is drawn in; its numbers are taken token by token, feature by feature.
void draw_tokens(Inputs inputs, const Stream& stream, const Examples& examples, Block& block);

/// The tokens as signs. Needs inputs that are signs.
void draw_tokens(Inputs inputs, const Stream& stream, const Examples& examples, SingleBlock& block);

}  // namespace hardhead::attention
