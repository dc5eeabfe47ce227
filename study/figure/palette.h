#pragma once
#include <set>
#include <string>
#include <vector>

#include "study/figure/figure.h"

namespace hardhead::report {

/// The colours of a figure's curves (figure.h), for all of its panels and for whoever else draws it.
class Palette {
 public:
  /// Of all curves of the figure.
  explicit Palette(const Figure& figure);
  /// The m of the curves, where colour is m; empty where it tells categories apart.
  const std::set<double>& heads() const { return heads_; }
  /// Of curves of the figure, in their order: "#0072B2", or "black", which is the page's text colour. A slope
  /// has that of the curve before it.
  std::vector<std::string> colours(const std::vector<FigureCurve>& curves) const;

 private:
  std::set<double> heads_;
};

}  // namespace hardhead::report
