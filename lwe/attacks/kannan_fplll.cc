#include <stdexcept>

#include "base/error.h"
#include "lwe/attacks/kannan.h"
#include "lwe/attacks/registered_attacks.h"

#ifdef HARDHEAD_HAS_FPLLL
#include <fplll.h>
#endif

namespace hardhead::lwe {
namespace {

#ifdef HARDHEAD_HAS_FPLLL
using detail::Reducer;

class FplllReducer final : public Reducer {
 public:
  explicit FplllReducer(const Basis& basis)
      : rows_(static_cast<int>(basis.size()), static_cast<int>(basis.size())) {
    for (int i = 0; i < rows_.get_rows(); ++i)
      for (int j = 0; j < rows_.get_cols(); ++j)
        rows_[i][j] = static_cast<long>(basis[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  }
  void lll() override { require(fplll::lll_reduction(rows_, 0.99), "LLL"); }
  void bkz(int block) override {
    static std::vector<fplll::Strategy> strategies =
        fplll::load_strategies_json(fplll::default_strategy_path() + "/default.json");
    fplll::BKZParam parameters(block, strategies);
    parameters.flags = fplll::BKZ_AUTO_ABORT | fplll::BKZ_MAX_LOOPS;
    parameters.max_loops = 8;
    // In dimensions near 200 doubles are at times too short ("infinite loop in babai"), which fplll throws.
    std::string why;
    for (const auto number : {fplll::FT_DEFAULT, fplll::FT_LONG_DOUBLE, fplll::FT_DPE}) {
      try {
        const int status = fplll::bkz_reduction(&rows_, nullptr, parameters, number, 0);
        if (status == fplll::RED_SUCCESS || status == fplll::RED_BKZ_LOOPS_LIMIT) return;
        why = fplll::get_red_status_str(status);
      } catch (const std::runtime_error& error) {
        why = error.what();
      }
      lll();  // what is left is a basis still
    }
    throw Error("fplll BKZ: " + why);
  }
  Basis basis() const override {
    Basis out(static_cast<std::size_t>(rows_.get_rows()));
    for (std::size_t i = 0; i < out.size(); ++i)
      for (int j = 0; j < rows_.get_cols(); ++j) out[i].push_back(rows_[static_cast<int>(i)][j].get_si());
    return out;
  }

 private:
  static void require(int status, const char* what) {
    if (status != fplll::RED_SUCCESS)
      throw Error(std::string("fplll ") + what + ": " + fplll::get_red_status_str(status));
  }

  fplll::ZZ_mat<mpz_t> rows_;
};

constexpr bool is_built = true;
#else
constexpr bool is_built = false;
#endif

Candidate run_kannan_fplll(const Challenge& challenge, const RunContext& context, std::string& message) {
  return detail::primal_attack(challenge, context, detail::fplll_reducer, machine.fplll, message);
}

Cost kannan_fplll_cost(const ProblemParameters& parameters, std::int64_t samples) {
  if (!is_built) return Cost::impossible("this program was built without fplll (libfplll-dev)");
  return detail::primal_cost(parameters, samples, machine.fplll);
}

}  // namespace

std::unique_ptr<detail::Reducer> detail::fplll_reducer(const Reducer::Basis& basis) {
#ifdef HARDHEAD_HAS_FPLLL
  return std::make_unique<FplllReducer>(basis);
#else
  (void)basis;
  return nullptr;
#endif
}

Attack detail::kannan_fplll_attack() {
  return {"kannan-fplll", "the same embedding reduced by fplll", "heuristic; the witness is verified",
          kannan_fplll_cost, run_kannan_fplll};
}

}  // namespace hardhead::lwe
