#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sq/query/contract.h"
#include "sq/query/query.h"

namespace hardhead::sq {

/// A labelling of {-1,+1}^n. Like a query, it is shown z & sees only.
struct Concept {
  std::string name;                  ///< for reports
  Bits sees = 0;                     ///< bits that the label depends on
  std::function<int(Bits z)> label;  ///< -1 or +1; 0 where no member of its class has anything to say
};

/// E phi under every member of a class at once, and under the null distribution, whose labels are fair coins
/// wherever they are not 0. All are integers over 2^exponent.
struct ClassMeans {
  std::int64_t null = 0;              ///< under the null distribution
  std::vector<std::int64_t> members;  ///< under each member
  int exponent = 0;                   ///< of the common denominator 2^exponent
  Rational charge = 0;                ///< for values of the query off the grid

  /// E phi under the null distribution.
  Mean null_mean() const { return {dyadic(null, exponent), charge}; }
  /// E phi under a member.
  Mean mean(std::int64_t member) const {
    return {dyadic(members[static_cast<std::size_t>(member)], exponent), charge};
  }
};

/// A finite family of concepts on uniform bits: what is known before the first query.
///
/// For a query phi let b(z) = (phi(z,+1) - phi(z,-1)) / 2. Then E_f phi = E_null phi + E[b f] for every
/// member f.
class ConceptClass {
 public:
  virtual ~ConceptClass() = default;

  /// n of the domain {-1,+1}^n.
  virtual int bits() const = 0;
  /// N, the number of members.
  virtual std::int64_t size() const = 0;
  /// Member `index`, in 0 .. size() - 1.
  virtual Concept member(std::int64_t index) const = 0;
  /// Throws InputError as GridQuery does.
  virtual ClassMeans means(const Query& query) const = 0;
  /// 2^bits E[f g], exactly.
  virtual std::int64_t correlation(std::int64_t f, std::int64_t g) const = 0;
};

}  // namespace hardhead::sq
