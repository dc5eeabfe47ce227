#include "learner/mobius/logit_systems.h"

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
  Matrix typical_inverse, solution, residual, direction;
  double size = 0, first_size = 0;  // of the residual, preconditioned, squared

  State(const LogitSystem& given, std::size_t at)
      : system(&given),
        place(at),
        typical_inverse(inverse(given.typical)),
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
  // Takes out what is solved up to `most`, or cannot be.
  void collect(double most, std::vector<std::optional<Matrix>>& solutions) {
    std::erase_if(states_, [&](State& state) {
      const bool solved =
          state.size <= most * most * state.first_size || state.first_size <= state.system->negligible;
      if (solved) solutions[state.place] = std::move(state.solution);
      return solved || !(state.size > 0 && state.size < 1e300);
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
    CommonSigns::Each residuals;
    for (const State& state : states_) residuals.push_back(state.residual);
    const CommonSigns::Each solved = signs_.solved(features_, residuals);
    for (std::size_t n = 0; n < states_.size(); ++n) {
      State& state = states_[n];
      Matrix next = solved[n] * state.typical_inverse;
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

std::vector<std::optional<Matrix>> solve(const CommonSigns& signs, const std::vector<LogitSystem>& systems,
                                         const Accuracy& accuracy, const StopToken& stop) {
  constexpr int most_steps = 150;
  std::vector<std::optional<Matrix>> solutions(systems.size());
  if (systems.empty()) return solutions;
  Lockstep lockstep(signs, systems);
  lockstep.collect(accuracy.wanted, solutions);
  for (int step = 0; step < most_steps && !lockstep.done(); ++step) {
    stop.check();
    lockstep.step();
    lockstep.collect(accuracy.wanted, solutions);
  }
  lockstep.collect(accuracy.enough, solutions);
  return solutions;
}

}  // namespace hardhead::learner::mobius
