#pragma once
#include <array>
#include <string>
#include <string_view>

#include "attention/forward/block.h"
#include "base/numeric/random.h"
#include "base/text/enum_names.h"

namespace hardhead::attention {

/// Distribution of X; every token is independent of the others and has E[x x^T] = I.
enum class Inputs {
  boolean,   ///< uniform on {-1,+1}^{k x d}
  gaussian,  ///< N(0, I)
  sphere,    ///< every token uniform on the sphere of radius sqrt(d)
};

}  // namespace hardhead::attention

namespace hardhead {

template <>
inline constexpr auto enum_names<attention::Inputs> =
    std::to_array<EnumName<attention::Inputs>>({{attention::Inputs::boolean, "boolean"},
                                                {attention::Inputs::gaussian, "gaussian"},
                                                {attention::Inputs::sphere, "sphere"}});

}  // namespace hardhead

namespace hardhead::attention {

/// "boolean", "gaussian", "sphere".
inline std::string to_string(Inputs inputs) {
  return name_of(inputs);
}
/// The inverse. Throws InputError naming the text and the choices.
inline Inputs parse_inputs(std::string_view text) {
  return value_named<Inputs>("inputs", text);
}

/// Writes tokens of examples first .. first + block.count - 1 of `stream` into block.x. Example n is item n
/// of the stream, whatever block it is drawn in; its numbers are taken token by token, feature by feature.
void draw_tokens(Inputs inputs, const Stream& stream, std::uint64_t first, Block& block);

}  // namespace hardhead::attention
