#pragma once
#include <Eigen/Core>
#include <cassert>

#include "attention/kernels/matrix_product_kernels.h"

namespace hardhead::attention {

/// The product, for which `scratch` is not set, by the kernels of simd_target() (base/numeric/simd.h). The
/// target `baseline` takes those of `avx2` where the program is compiled for AVX2 anyway, and else Eigen's
/// product, whose sums are in another order.
template <class Scalar>
void multiply_on_target(MatrixProduct<Scalar> product);

namespace detail {

// Where the entries of a matrix lie.
template <class M>
Strided<std::remove_reference_t<decltype(*std::declval<M&>().data())>> strided(M& matrix) {
  assert(matrix.rowStride() == 1 || matrix.colStride() == 1);
  return {matrix.data(), static_cast<std::size_t>(matrix.rowStride()),
          static_cast<std::size_t>(matrix.colStride())};
}

template <class Out, class A, class B>
void product(Out& out, const A& a, const B& b, bool add) {
  using Scalar = typename A::Scalar;
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols());
  // Columns of out that are contiguous are rows of out^T = b^T a^T.
  if constexpr (Out::IsRowMajor) {
    multiply_on_target(
        MatrixProduct<Scalar>{static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()),
                              static_cast<std::size_t>(b.cols()), strided(a), strided(b), out.data(),
                              static_cast<std::size_t>(out.outerStride()), add, nullptr});
  } else {
    auto turned = out.transpose();
    product(turned, b.transpose(), a.transpose(), add);
  }
}

}  // namespace detail

/// out = a b. Each of them is a dense matrix, a block or a map of one, or the transpose of such; out has no
/// entry in common with a or b, and is resized if it is a matrix. An entry is one chain of fused products and
/// sums, in the order of the columns of `a`, so that its bits do not depend on the sizes, unless Eigen
/// multiplies. Its error is at most depth u / (1 - depth u) times the entry of |a| |b|, where u is 2^-53, or
/// 2^-24 in single precision (N. Higham, "Accuracy and Stability of Numerical Algorithms", 2002,
/// section 3.5).
template <class Out, class A, class B>
void set_product(Out&& out, const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  out.resize(a.rows(), b.cols());
  detail::product(out, a.derived(), b.derived(), false);
}

/// out += a b; the chain begins with what out holds.
template <class Out, class A, class B>
void add_product(Out&& out, const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  detail::product(out, a.derived(), b.derived(), true);
}

}  // namespace hardhead::attention
