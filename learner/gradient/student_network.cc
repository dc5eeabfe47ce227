#include "learner/gradient/student_network.h"

#include "attention/forward/matrix_product.h"

namespace hardhead::learner {

using namespace attention;

void StudentNetwork::apply(const FloatBlock& block, FloatMatrix& values, Scratch& scratch) const {
  const Index h = shape_.units;
  scratch.u = values;
  if (shape_.residual) scratch.u += block.x;
  const auto all = rows();
  set_product(scratch.hidden, all.topRows(h), scratch.u);
  const Eigen::VectorXf in_bias = shape_.in_bias(all);
  scratch.hidden = (scratch.hidden.colwise() + in_bias).cwiseMax(0).eval();
  set_product(values, all.middleRows(shape_.first_out(), h).transpose(), scratch.hidden);
  values.colwise() += all.row(shape_.out_bias()).transpose();
  if (shape_.residual) values += scratch.u;
}

void StudentNetwork::add_gradient(FloatMatrix& change, Scratch& scratch, FloatMatrix& gradient) const {
  const Index h = shape_.units;
  const auto all = rows();
  auto sum = gradient.bottomRows(all.rows());
  add_product(sum.middleRows(shape_.first_out(), h), scratch.hidden, change.transpose());
  sum.row(shape_.out_bias()) += change.rowwise().sum().transpose();
  set_product(scratch.change, all.middleRows(shape_.first_out(), h), change);
  scratch.change = (scratch.hidden.array() > 0).select(scratch.change, 0).eval();
  add_product(sum.topRows(h), scratch.change, scratch.u.transpose());
  shape_.add_in_bias(scratch.change.rowwise().sum(), gradient.bottomRows(all.rows()));
  if (!shape_.residual) change.setZero();
  add_product(change, all.topRows(h).transpose(), scratch.change);
}

}  // namespace hardhead::learner
