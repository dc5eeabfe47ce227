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

/// An SVG as gnuplot and grid_svg() write it, as an element of a page, with `prefix` before its own names
/// (`id`, and `href="#.."`): all figures of gnuplot have the same. What stands before `<svg` is left out.
///
/// Every tag is read. Elements and attributes are those of a list; none of them runs a script, has CSS of its
/// own, or leads anywhere but to `#NAME` of the figure itself. Of entities only those of XML are taken
/// (`&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;`). Throws InputError, whose text does not name the file, for
/// all else: other elements and attributes by their names, tags that do not fit each other, `url(`.
std::string inline_svg(std::string_view svg, std::string_view prefix);

}  // namespace hardhead::report
