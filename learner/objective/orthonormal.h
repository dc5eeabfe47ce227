#pragma once
#include <Eigen/QR>

#include "attention/layer/layer.h"

namespace hardhead::learner {

/// An orthonormal basis of the span of the columns, as many as there are columns; by Householder's method.
inline attention::Matrix orthonormal(const attention::Matrix& columns) {
  return columns.householderQr().householderQ() * attention::Matrix::Identity(columns.rows(), columns.cols());
}

}  // namespace hardhead::learner
