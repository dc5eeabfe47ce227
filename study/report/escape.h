#pragma once
#include <string>
#include <string_view>

namespace hardhead::report {

/// Plain text as the content or an attribute of an element of HTML or SVG.
std::string escaped(std::string_view text);

/// Plain text as HTML in which powers and indices are typeset (MathML): "d^(m/2)", "r^-0.50", "d^Omega(m)",
/// "2^{n}", "W_sum", "x_1". A power is a number with its sign, a name with what it is a function of, or what
/// stands in brackets, whose outer pair is left out. An index is one letter or digit, or "sum", after a
/// letter or the name of a Greek one. All else is escaped and left as it is, names such as `theta_norm` among
/// it.
std::string formulae_html(const std::string& text);

}  // namespace hardhead::report
