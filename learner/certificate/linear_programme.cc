#include "learner/certificate/linear_programme.h"

#include <fmt/format.h>

#include <ClpSimplex.hpp>
#include <vector>

#include "base/error.h"

namespace hardhead::learner {
namespace {

const char* ending(int status) {
  switch (status) {
    case 1:
      return "is infeasible";
    case 2:
      return "is unbounded";
    case 3:
      return "ran into Clp's iteration limit";
    default:
      return "ended in numerical difficulties";
  }
}

}  // namespace

LinearProgramme::LinearProgramme(const Vector& lower, const Vector& upper)
    : clp_(std::make_unique<ClpSimplex>()) {
  clp_->setLogLevel(0);
  clp_->setDualTolerance(1e-9);
  clp_->resize(0, static_cast<int>(lower.size()));
  for (Index j = 0; j < lower.size(); ++j) clp_->setColumnBounds(static_cast<int>(j), lower(j), upper(j));
}

LinearProgramme::~LinearProgramme() = default;

void LinearProgramme::add_rows(const RowMatrix& rows, const Vector& row_lower, const Vector& row_upper) {
  std::vector<CoinBigIndex> starts;
  std::vector<int> columns;
  for (Index r = 0; r <= rows.rows(); ++r) starts.push_back(static_cast<CoinBigIndex>(r * rows.cols()));
  for (Index i = 0; i < rows.size(); ++i) columns.push_back(static_cast<int>(i % rows.cols()));
  clp_->addRows(static_cast<int>(rows.rows()), row_lower.data(), row_upper.data(), starts.data(),
                columns.data(), rows.data());
  feasible_ = false;
}

void LinearProgramme::set_objective(const Vector& c) {
  for (Index j = 0; j < c.size(); ++j) clp_->setObjectiveCoefficient(static_cast<int>(j), c(j));
}

Vector LinearProgramme::minimise() {
  clp_->setMaximumIterations(10 * (clp_->numberRows() + clp_->numberColumns()));
  if (feasible_)
    clp_->primal();
  else
    clp_->dual();
  if (clp_->status() == 3) {  // a degenerate basis can make it go round: from the beginning, perturbed
    clp_->allSlackBasis(true);
    clp_->setPerturbation(50);
    clp_->dual();
  }
  if (clp_->status() != 0)
    throw Error(fmt::format("the linear programme of {} rows and {} columns {}", clp_->numberRows(),
                            clp_->numberColumns(), ending(clp_->status())));
  feasible_ = true;
  return Eigen::Map<const Vector>(clp_->getColSolution(), clp_->numberColumns());
}

}  // namespace hardhead::learner
