#include "attention/forward/matrix_product.h"

#include "base/numeric/aligned_vector.h"
#include "base/numeric/simd.h"

namespace hardhead::attention {
namespace {

#ifdef __FMA__
constexpr bool compiled_for_avx2 = true;
#else
constexpr bool compiled_for_avx2 = false;
#endif

// Runs f on a matrix in memory as Eigen has it.
template <class Scalar, class F>
void with_map(const Strided<const Scalar>& matrix, Eigen::Index rows, Eigen::Index columns, const F& f) {
  using Dynamic = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Step = Eigen::OuterStride<>;
  if (matrix.column_step == 1)
    f(Eigen::Map<const RowMajor, 0, Step>(matrix.data, rows, columns,
                                          Step(static_cast<Eigen::Index>(matrix.row_step))));
  else
    f(Eigen::Map<const Dynamic, 0, Step>(matrix.data, rows, columns,
                                         Step(static_cast<Eigen::Index>(matrix.column_step))));
}

template <class Scalar>
void multiply_by_eigen(const MatrixProduct<Scalar>& product) {
  using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(product.rows), depth = static_cast<Eigen::Index>(product.depth),
             columns = static_cast<Eigen::Index>(product.columns);
  Eigen::Map<RowMajor, 0, Eigen::OuterStride<>> out(
      product.out, rows, columns, Eigen::OuterStride<>(static_cast<Eigen::Index>(product.out_step)));
  with_map(product.a, rows, depth, [&](const auto& a) {
    with_map(product.b, depth, columns, [&](const auto& b) {
      if (product.add)
        out.noalias() += a * b;
      else
        out.noalias() = a * b;
    });
  });
}

}  // namespace

template <class Scalar>
void multiply_on_target(MatrixProduct<Scalar> product) {
  if (simd_target() == SimdTarget::baseline && !compiled_for_avx2) return multiply_by_eigen(product);
  // On the heap, since a stack may be small.
  thread_local AlignedVector<Scalar> scratch(product_scratch_bytes / sizeof(Scalar));
  product.scratch = scratch.data();
  multiply(product);
}

template void multiply_on_target(MatrixProduct<double> product);
template void multiply_on_target(MatrixProduct<float> product);

}  // namespace hardhead::attention
