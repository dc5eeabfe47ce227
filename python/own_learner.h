#pragma once
#include <memory>

#include "attention/samples/sample_source.h"
#include "learner/learner.h"
#include "python/bindings.h"

/// Learners that are Python functions: methods like those of the library, so that plans, journals, ladders
/// and scores treat them alike.
namespace hardhead::python {

/// The first examples of a source, as many as a learner may read, for as long as its run lasts. They are
/// counted, each once, however often and in whatever order they are read.
class BudgetedSource final : public attention::SampleSource {
 public:
  /// Keeps a reference to `source` until close().
  BudgetedSource(const attention::SampleSource& source, std::int64_t budget);
  ~BudgetedSource() override;
  attention::Index d() const override { return d_; }
  attention::Index k() const override { return k_; }
  attention::Inputs inputs() const override { return inputs_; }
  std::int64_t size() const override { return budget_; }
  /// Throws BudgetError for examples beyond the budget, InputError once the run is over.
  void read(std::int64_t first, attention::Block& block) const override;
  void pick(std::span<const std::int64_t> examples, attention::Block& block) const override;
  bool read_single(const attention::Examples& examples, attention::SingleBlock& block) const override;

  /// Throws BudgetError unless there are `count` examples from `first` on.
  void check(std::int64_t first, std::int64_t count) const;
  /// Counts these examples as read. Throws as read().
  void count(std::int64_t first, std::int64_t count) const;
  /// The same examples, which are not counted when they are read.
  std::shared_ptr<const attention::SampleSource> uncounted() const;
  /// Ends the examples: `source` is not read any more.
  void close();
  /// Distinct examples read so far.
  std::int64_t used() const;

 private:
  struct Ledger;
  BudgetedSource(const BudgetedSource& of, std::shared_ptr<Ledger> ledger);

  attention::Index d_, k_;
  attention::Inputs inputs_;
  std::int64_t budget_;
  bool counts_ = true;
  std::shared_ptr<Ledger> ledger_;
};

/// The learner that is meant: text, a Spec, or a function of Python's (hardhead.Learner).
struct LearnerArgument {
  std::optional<learner::Learner> given{};
  operator const learner::Learner&() const { return *given; }
};

}  // namespace hardhead::python

namespace pybind11::detail {

/// Text, Spec and _Learner.
template <>
struct type_caster<hardhead::python::LearnerArgument> {
  PYBIND11_TYPE_CASTER(hardhead::python::LearnerArgument, const_name("str or Spec or Learner"));
  bool load(handle given, bool convert);
};

}  // namespace pybind11::detail
