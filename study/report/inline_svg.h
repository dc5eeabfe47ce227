#pragma once
#include <string>
#include <string_view>

namespace hardhead::report {

/// An SVG as gnuplot and grid_svg() write it, as an element of a page, with `prefix` before its own names
/// (`id`, and `href="#.."`): all figures of gnuplot have the same. What stands before `<svg` is left out.
///
/// Every tag is read. Elements and attributes are those of a list; none of them runs a script, has CSS of its
/// own, or leads anywhere but to `#NAME` of the figure itself. Of entities only those of XML are taken
/// (`&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;`). Throws InputError, whose text does not name the file, for
/// all else: other elements and attributes by their names, tags that do not fit each other, `url(`.
std::string inline_svg(std::string_view svg, std::string_view prefix);

}  // namespace hardhead::report
