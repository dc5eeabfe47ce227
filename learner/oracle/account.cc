#include "learner/oracle/account.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::learner {

Account::Account(std::optional<std::int64_t> budget) : budget_(budget) {
  if (budget && *budget < 1)
    throw InputError(fmt::format("a budget of {} queries: at least 1 is needed", *budget));
}

void Account::charge(std::int64_t queries, std::int64_t tokens_each) {
  stop_.check();
  if (budget_ && queries > *budget_ - queries_) throw OutOfQueries{*budget_};
  queries_ += queries;
  tokens_ += queries * tokens_each;
}

}  // namespace hardhead::learner
