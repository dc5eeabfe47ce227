#include "learner/mobius/logit_systems.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/numeric/decompositions.h"

namespace hardhead::learner::mobius {
namespace {

double product(const Matrix& a, const Matrix& b) {
  return a.cwiseProduct(b).sum();
}

// One of the systems on its way.
struct State {
  const LogitSystem* system;
  std::size_t place;  // among all
  Matrix solution, residual, direction;
  double size = 0, first_size = 0;  // of the residual, preconditioned, squared

  State(const LogitSystem& given, std::size_t at)
      : system(&given),
        place(at),
        solution(Matrix::Zero(given.right.rows(), given.right.cols())),
        residual(given.right) {}
};

// All that are not solved yet.
class Lockstep {
 public:
  Lockstep(const CommonSigns& signs, const std::vector<LogitSystem>& systems) : signs_(signs) {
    for (std::size_t n = 0; n < systems.size(); ++n) states_.emplace_back(systems[n], n);
    list_features();
    turn();
  }

  bool done() const { return states_.empty(); }
  // A step of each.
  void step() {
    CommonSigns::Each directions, weighted;
    for (const State& state : states_) directions.push_back(state.direction);
    const CommonSigns::Each images = signs_.times(features_, blocks_, directions);
    for (std::size_t n = 0; n < states_.size(); ++n) weighted.push_back(states_[n].system->middle(images[n]));
    const CommonSigns::Each products = signs_.adjoint(features_, blocks_, weighted);
    for (std::size_t n = 0; n < states_.size(); ++n) {
      State& state = states_[n];
      const double length = state.size / product(state.direction, products[n]);
      state.solution += length * state.direction;
      state.residual -= length * products[n];
    }
    turn();
  }
  // Takes out what is solved, or cannot be.
  void collect(double accuracy, std::vector<Matrix>& solutions) {
    std::erase_if(states_, [&](State& state) {
      const bool on = state.size > accuracy * accuracy * state.first_size && state.size < 1e300 &&
                      state.first_size > state.system->negligible;
      if (!on) solutions[state.place] = std::move(state.solution);
      return !on;
    });
    list_features();
  }

 private:
  void list_features() {
    features_.clear(), blocks_.clear();
    for (const State& state : states_)
      features_.push_back(state.system->feature), blocks_.push_back(state.system->blocks);
  }
  // The directions of the next step.
  void turn() {
    for (State& state : states_) {
      Matrix next = (*state.system->inverses)(state.residual);
      state.system->slow.correct(state.residual, next);
      const double size = product(state.residual, next);
      if (state.direction.size() == 0)
        state.direction = next, state.first_size = size;
      else
        state.direction = next + size / state.size * state.direction;
      state.size = size;
    }
  }

  const CommonSigns& signs_;
  std::vector<State> states_;
  std::vector<Index> features_, blocks_;
};

}  // namespace

std::optional<HeadInverses> HeadInverses::of(const CommonSigns& signs, Index feature, Index blocks,
                                             const Matrix& weight, const StopToken& stop) {
  HeadInverses out;
  for (const auto column : weight.colwise()) {
    stop.check();
    auto factor = cholesky(signs.weighted_gram(feature, blocks, column));
    if (!factor) return std::nullopt;
    out.factors_.push_back(std::move(*factor));
  }
  return out;
}

Matrix HeadInverses::of_head(Index i, const Matrix& columns) const {
  return cholesky_solve(factors_[static_cast<std::size_t>(i)], columns);
}

Matrix HeadInverses::operator()(const Matrix& u) const {
  Matrix out(u.rows(), u.cols());
  for (Index i = 0; i < u.cols(); ++i) out.col(i) = of_head(i, u.col(i));
  return out;
}

Index solved_at_once(Index d, Index m) {
  constexpr double bytes = 64e6;
  constexpr Index most = 8;
  return std::clamp<Index>(static_cast<Index>(bytes / (8. * static_cast<double>(m * d * d))), 1, most);
}

void SlowDirections::correct(const Matrix& residual, Matrix& next) const {
  if (inverse.size() == 0) return;
  const Index m = next.cols(), each = columns.cols() / m;
  Vector shares(columns.cols());
  for (Index i = 0; i < m; ++i)
    shares.segment(i * each, each) = columns.middleCols(i * each, each).transpose() * residual.col(i);
  shares = inverse * shares;
  for (Index i = 0; i < m; ++i)
    next.col(i) += columns.middleCols(i * each, each) * shares.segment(i * each, each);
}

std::vector<Matrix> solve(const CommonSigns& signs, const std::vector<LogitSystem>& systems, double accuracy,
                          const StopToken& stop) {
  constexpr int most_steps = 150;
  std::vector<Matrix> solutions(systems.size());
  Lockstep lockstep(signs, systems);
  lockstep.collect(accuracy, solutions);
  for (int step = 0; step < most_steps && !lockstep.done(); ++step) {
    stop.check();
    lockstep.step();
    lockstep.collect(accuracy, solutions);
  }
  lockstep.collect(std::numeric_limits<double>::infinity(), solutions);
  return solutions;
}

}  // namespace hardhead::learner::mobius
