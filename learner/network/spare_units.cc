#include <limits>

#include "base/numeric/decompositions.h"
#include "learner/network/network_squares.h"

namespace hardhead::learner {
namespace {

struct Moments {
  Matrix gram;       // of the units and of 1
  double total = 0;  // sum ||Y||^2
  void operator+=(const Moments& other) { gram += other.gram, total += other.total; }
};

Moments moments(const Layer& layer, const std::vector<Block>& blocks, const StopToken& stop) {
  const Network& network = *layer.network;
  const Forward heads({layer.d, layer.heads});
  const Index n = network.width() + 1;
  return sum_over_blocks(blocks.size(), Moments{Matrix::Zero(n, n)}, stop, [&](Moments& part, std::size_t b) {
    Block at = blocks[b];
    part.total += at.y.squaredNorm();
    Forward::Workspace workspace;
    heads.apply(at, workspace);
    if (network.residual) at.y += at.x;
    RowMatrix units(n, at.y.cols());
    units.topRows(n - 1) = ((network.in * at.y).colwise() + network.in_bias).cwiseMax(0);
    units.row(n - 1).setOnes();
    part.gram.noalias() += units * units.transpose();
  });
}

}  // namespace

Layer without_spare_units(const Layer& layer, const std::vector<Block>& blocks, double allowed,
                          const StopToken& stop) {
  constexpr double ridge = 1e-12;
  const Index d = layer.d, n = layer.network->width() + 1;
  Moments of = moments(layer, blocks, stop);
  of.gram.diagonal().array() += ridge * of.gram.trace() / static_cast<double>(n);
  Matrix inverse_gram = inverse(of.gram), out(d, n);
  out << layer.network->out, layer.network->out_bias;
  std::vector<Index> left;
  for (Index j = 0; j + 1 < n; ++j) left.push_back(j);
  double cost = 0;
  while (left.size() > 1) {
    stop.check();
    std::size_t cheapest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < left.size(); ++l) {
      const double of_unit = out.col(left[l]).squaredNorm() / inverse_gram(left[l], left[l]);
      if (of_unit < least) least = of_unit, cheapest = l;
    }
    cost += least;
    if (!(cost <= allowed * of.total)) break;
    const Index j = left[cheapest];
    const Vector share = inverse_gram.col(j) / inverse_gram(j, j);
    out -= Matrix(out.col(j)) * share.transpose();
    inverse_gram -= share * Matrix(inverse_gram.row(j));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(cheapest));
  }
  Layer fewer = layer;
  Network& network = *fewer.network;
  network.in = layer.network->in(left, Eigen::all);
  network.in_bias = layer.network->in_bias(left);
  network.out = out(Eigen::all, left);
  network.out_bias = out.col(n - 1);
  return fewer;
}

}  // namespace hardhead::learner
