#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lwe/attacks/attack.h"
#include "lwe/attacks/machine_speeds.h"

namespace hardhead::lwe::detail {

/// One library's lattice reduction, in the process it is called in (a child's: it may abort or hang).
class Reducer {
 public:
  using Basis = std::vector<std::vector<std::int64_t>>;
  virtual ~Reducer() = default;
  /// LLL, delta 0.99.
  virtual void lll() = 0;
  /// BKZ with blocks of `block` on what is reduced so far.
  virtual void bkz(int block) = 0;
  virtual Basis basis() const = 0;
};

using MakeReducer = std::function<std::unique_ptr<Reducer>(const Reducer::Basis&)>;

/// NTL's.
std::unique_ptr<Reducer> ntl_reducer(const Reducer::Basis& basis);
/// fplll's; null where the program was built without it.
std::unique_ptr<Reducer> fplll_reducer(const Reducer::Basis& basis);

/// The primal attack: the attempts() of embedding.h, each Kannan's embedding of some samples, then LLL, then
/// BKZ with blocks of 10, 20, .. 60, until a vector of the basis gives a secret that verifies. Runs in a
/// child process, whose libraries have nothing to print to.
Candidate primal_attack(const Challenge& challenge, const RunContext& context, const MakeReducer& make,
                        const ReductionModel& model, std::string& message);

/// The cost of the plan by this model; where no block up to largest_block should do, that of core_svp(), and
/// `beyond`.
Cost primal_cost(const ProblemParameters& parameters, std::int64_t samples,
                 const ReductionModel& model = machine.ntl);

}  // namespace hardhead::lwe::detail
