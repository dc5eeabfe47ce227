#pragma once
#include <cstdint>
#include <vector>

#include "base/numeric/random.h"
#include "sq/concepts/version_space.h"
#include "sq/oracle/policy.h"

/// Who answers statistical queries, and how an answer is chosen among the legal ones.
namespace hardhead::sq {

/// An answer, and what it is checked against.
struct Reply {
  Rational answer;                ///< v
  Mean truth;                     ///< of a member that the answer, and all before it, are legal for
  std::int64_t members_left = 1;  ///< members that all answers so far are legal for
  bool gave_in = false;           ///< adversary: the null answer would have been legal for no member left
};

/// Answers queries under a contract. Nothing is checked here: oracles check every reply (oracle.h).
class Answerer {
 public:
  virtual ~Answerer() = default;
  /// The answer, legal under `contract`. Throws InputError as GridQuery does.
  virtual Reply reply(const Query& query, const Contract& contract) = 0;
};

/// One target concept, averages by enumeration.
class FixedTarget final : public Answerer {
 public:
  /// Throws InputError for n outside 1 .. max_bits.
  FixedTarget(Concept target, int n, Policy policy, std::uint64_t seed = 1);

  Reply reply(const Query& query, const Contract& contract) override;

 private:
  Concept target_;
  int n_;
  Policy policy_;
  Stream stream_;
  std::uint64_t asked_ = 0;
};

/// The adversary of the lower bounds, over a class. There is no target: any member that is consistent with
/// every answer so far. It answers with the mean under the null distribution wherever that is legal for one
/// of them; else it gives in, with the answer nearest to the null one that is. It tracks exactly which are
/// left.
///
/// An answer E_null phi rules out the members with |bhat| > tau only (parity_bound.h). It is not the
/// strongest adversary: for a query that splits two members by 2 tau or less, an answer between them rules
/// out neither.
class Adversary final : public Answerer {
 public:
  /// The class must outlive the adversary.
  explicit Adversary(const ConceptClass& members) : class_(members), space_(members.size()) {}

  Reply reply(const Query& query, const Contract& contract) override;
  /// Indices of members that all answers so far are legal for; never empty.
  const std::vector<std::int64_t>& left() const { return space_.left(); }

 private:
  const ConceptClass& class_;
  VersionSpace space_;
};

}  // namespace hardhead::sq
