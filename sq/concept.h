#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sq/contract.h"
#include "sq/query.h"

namespace hardhead::sq {

/// A labelling of {-1,+1}^n. Like a query, it is shown z & sees only.
struct Concept {
  std::string name;
  Bits sees = 0;
  std::function<int(Bits z)> label;  ///< -1 or +1; 0 where no member of its class has anything to say
};

/// E phi under every member of a class at once, and under the null distribution, whose labels are fair coins
/// wherever they are not 0. All are integers over 2^exponent.
struct ClassMeans {
  std::int64_t null = 0;
  std::vector<std::int64_t> members;
  int exponent = 0;
  Rational charge = 0;  ///< for values of the query off the grid

  Mean null_mean() const { return {dyadic(null, exponent), charge}; }
  Mean mean(std::int64_t member) const {
    return {dyadic(members[static_cast<std::size_t>(member)], exponent), charge};
  }
};

/// A finite family of concepts on uniform bits: what is known before the first query.
///
/// For a query phi let b(z) = (phi(z,+1) - phi(z,-1)) / 2. Then E_f phi = E_null phi + E[b f] for every member f.
class ConceptClass {
 public:
  virtual ~ConceptClass() = default;

  virtual int bits() const = 0;
  virtual std::int64_t size() const = 0;
  virtual Concept member(std::int64_t index) const = 0;
  /// Throws InputError as GridQuery does.
  virtual ClassMeans means(const Query& query) const = 0;
  /// 2^bits E[f g], exactly.
  virtual std::int64_t correlation(std::int64_t f, std::int64_t g) const = 0;
};

}  // namespace hardhead::sq
