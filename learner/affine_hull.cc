#include "learner/affine_hull.h"

namespace hardhead::learner {

using namespace attention;

Matrix AffineHull::point(const Vector& coordinates) const {
  Matrix theta = offset;
  for (std::size_t l = 0; l < directions.size(); ++l)
    theta += coordinates(static_cast<Index>(l)) * directions[l];
  return theta;
}

double AffineHull::distance(const Matrix& theta) const {
  Matrix rest = theta - offset;
  for (const Matrix& direction : directions) rest -= direction.cwiseProduct(rest).sum() * direction;
  return rest.norm();
}

AffineHull linear_span(const AffineHull& hull) {
  AffineHull span{Matrix::Zero(hull.offset.rows(), hull.offset.cols()), hull.directions};
  if (const double norm = hull.offset.norm(); norm > 0) span.directions.emplace_back(hull.offset / norm);
  return span;
}

}  // namespace hardhead::learner
