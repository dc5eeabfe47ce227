// Matrix products of the shapes that learners make: the kernels on each target
// (attention/forward/matrix_product.h), Eigen's product as the rest of the program is compiled, and
// OpenBLAS's on one thread. Arguments: rows, depth, columns, whether the right matrix is a transpose, and for
// the kernels the target. Answers are compared with Eigen's before the timing. Counter: Gflop/s.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>

#include "attention/forward/matrix_product.h"
#include "base/numeric/simd.h"

extern "C" {
void openblas_set_num_threads(int);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double,
                 double*, int);
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
                 int);
}

namespace {

using namespace hardhead;

template <class Scalar>
using ByRows = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// c = a b, or a b^T where `turned`.
template <class Scalar>
struct Product {
  explicit Product(const benchmark::State& state)
      : turned(state.range(3) != 0), a(ByRows<Scalar>::Random(state.range(0), state.range(1))) {
    const auto depth = state.range(1), columns = state.range(2);
    b = turned ? ByRows<Scalar>::Random(columns, depth) : ByRows<Scalar>::Random(depth, columns);
    c.resize(a.rows(), columns);
  }
  void by_eigen() {
    if (turned)
      c.noalias() = a * b.transpose();
    else
      c.noalias() = a * b;
  }
  void by_kernels() {
    if (turned)
      attention::set_product(c, a, b.transpose());
    else
      attention::set_product(c, a, b);
  }
  void by_blas() {
    constexpr int row_major = 101, as_it_is = 111, transposed = 112;
    const auto size = [](Eigen::Index n) { return static_cast<int>(n); };
    const auto multiply = [] {
      if constexpr (sizeof(Scalar) == sizeof(double))
        return cblas_dgemm;
      else
        return cblas_sgemm;
    }();
    multiply(row_major, as_it_is, turned ? transposed : as_it_is, size(c.rows()), size(c.cols()),
             size(a.cols()), 1, a.data(), size(a.cols()), b.data(), size(b.cols()), 0, c.data(),
             size(c.cols()));
  }
  bool turned;
  ByRows<Scalar> a, b, c;
};

template <class Scalar>
void measure(benchmark::State& state, void (Product<Scalar>::*multiply)()) {
  Product<Scalar> product(state);
  product.by_eigen();
  const ByRows<Scalar> expected = product.c;
  (product.*multiply)();
  const auto worst = static_cast<double>((product.c - expected).cwiseAbs().maxCoeff());
  if (!(worst < 1e-6 * static_cast<double>(product.a.cols())))
    return state.SkipWithError("the products disagree");
  for (auto _ : state) {
    (product.*multiply)();
    benchmark::DoNotOptimize(product.c.data());
  }
  const double flops = 2.0 * static_cast<double>(product.c.size() * product.a.cols());
  state.counters["Gflop/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * flops / 1e9, benchmark::Counter::kIsRate);
}

template <class Scalar>
void kernels(benchmark::State& state) {
  const SimdTarget before = simd_target(), target = static_cast<SimdTarget>(state.range(4));
  choose_simd_target(target);
  measure(state, &Product<Scalar>::by_kernels);
  choose_simd_target(before);
  state.SetLabel(name_of(target));
}

template <class Scalar>
void eigen(benchmark::State& state) {
  measure(state, &Product<Scalar>::by_eigen);
}

template <class Scalar>
void openblas(benchmark::State& state) {
  openblas_set_num_threads(1);
  measure(state, &Product<Scalar>::by_blas);
}

// Queries of two small forward passes, a gradient of the second, queries of BERT's shape, and a square.
const std::vector<std::vector<std::int64_t>> shapes{
    {96, 32, 288, 0}, {256, 64, 384, 0}, {256, 384, 64, 1}, {2304, 768, 1536, 0}, {512, 512, 512, 0}};

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "depth", "columns", "turned"});
  for (const auto& shape : shapes) bench->Args(shape);
}

void sizes_on_targets(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "depth", "columns", "turned", "simd"});
  for (auto shape : shapes)
    for (const SimdTarget target : simd_targets()) {
      if (target == SimdTarget::baseline) continue;  // the kernels of avx2, or Eigen
      shape.resize(4);
      shape.push_back(static_cast<std::int64_t>(target));
      bench->Args(shape);
    }
}

BENCHMARK_TEMPLATE(kernels, double)->Apply(sizes_on_targets);
BENCHMARK_TEMPLATE(eigen, double)->Apply(sizes);
BENCHMARK_TEMPLATE(openblas, double)->Apply(sizes);
BENCHMARK_TEMPLATE(kernels, float)->Apply(sizes_on_targets);
BENCHMARK_TEMPLATE(eigen, float)->Apply(sizes);
BENCHMARK_TEMPLATE(openblas, float)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
