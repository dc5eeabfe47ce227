#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "attention/block.h"
#include "base/random.h"

namespace hardhead::attention {

/// Distribution of X; every token is independent of the others and has E[x x^T] = I.
enum class Inputs {
  boolean,   ///< uniform on {-1,+1}^{k x d}
  gaussian,  ///< N(0, I)
  sphere,    ///< every token uniform on the sphere of radius sqrt(d)
};

/// "boolean", "gaussian", "sphere".
std::string to_string(Inputs inputs);
/// The inverse. Throws InputError naming the text and the choices.
Inputs parse_inputs(std::string_view text);
/// The three names, for tables of parameters.
const std::vector<std::string>& inputs_names();

/// Writes tokens of examples first .. first + block.count - 1 of `stream` into block.x. Example n is item n
/// of the stream, whatever block it is drawn in; its numbers are taken token by token, feature by feature.
void draw_tokens(Inputs inputs, const Stream& stream, std::uint64_t first, Block& block);

}  // namespace hardhead::attention
