#include "hardness/challenge/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/samples/inputs.h"
#include "base/numeric/rational.h"
#include "hardness/families/family.h"
#include "tests/refusal.h"

namespace hardhead::challenge {
namespace {

using attention::Block;
using testing::HasSubstr;

Terms terms_of(const std::string& spec) {
  return read_terms(Spec::parse(spec));
}

/// The secret of the problem behind the switch of an instance.
std::vector<lwe::Residue> secret_of(const hardness::Instance& instance, const Terms& terms) {
  if (terms.behind_switch->problem.secret != lwe::SecretKind::fixed_weight)
    return {instance.hidden.begin(), instance.hidden.end()};
  std::vector<lwe::Residue> out(static_cast<std::size_t>(terms.behind_switch->problem.n), 0);
  for (const auto j : instance.hidden) out[static_cast<std::size_t>(j)] = 1;
  return out;
}

// The labels of the families, bit for bit, from the integers g.
TEST(Terms, LabelsAreThoseOfTheFamily) {
  for (const std::string spec :
       {"parity:d=10,m=3", "parity:d=9,m=4,base=2", "parity:d=9,m=3,variant=minimal",
        "parity:d=9,m=4,variant=compact-exact", "block-parity:d=10,m=3", "lwr:n=3,q=16,p=2",
        "lwr:n=2,q=8,p=4", "lwr:n=4,q=4,secret=binary", "lwe:n=2,q=8", "lpn:n=9"})
    for (int seed = 1; seed <= 3; ++seed) {
      const Terms terms = terms_of(spec);
      const auto instance = hardness::make_instance(Spec::parse(spec + ",seed=" + std::to_string(seed)));
      Block block(terms.d, terms.k, 300);
      attention::draw_tokens(terms.inputs, Stream(Domain::test, 7), 0, block);
      Block labelled = block;
      instance.teacher->label(labelled);

      lwe::ProblemParameters exact = terms.behind_switch->problem;
      const auto secret = secret_of(instance, terms);
      const lwe::Samples rows = rows_behind_switch(*terms.behind_switch, block);
      std::vector<lwe::Residue> g;
      for (std::int64_t i = 0; i < rows.count(); ++i)
        g.push_back(lwe::label(exact, rows.row(i).data(), secret, 0));
      write_labels(*terms.behind_switch, g, block);
      EXPECT_TRUE((block.y.array() == labelled.y.array()).all()) << spec;
      const ReadLabels read = read_labels(*terms.behind_switch, labelled);
      EXPECT_EQ(read.g, g) << spec;
      EXPECT_EQ(read.defects, 0) << spec;
    }
}

TEST(Terms, HaveAsManySecretsAsTheFamily) {
  EXPECT_NEAR(*terms_of("parity:d=64,m=12").log2_secrets(),
              std::log2(round_to_nearest(Rational(binomial(63, 12)))), 1e-9);
  EXPECT_DOUBLE_EQ(*terms_of("lwr:n=8,q=16").log2_secrets(), 32);
  EXPECT_DOUBLE_EQ(*terms_of("lpn:n=24").log2_secrets(), 24);
  EXPECT_FALSE(terms_of("nice").log2_secrets());
}

TEST(Terms, HaveNoSeed) {
  for (const char* spec : {"parity", "lwr", "lwe", "lpn", "nice"})
    EXPECT_EQ(terms_of(spec).spec.value("seed"), nullptr) << spec;
}

TEST(Terms, WhatIsNoChallengeIsRefused) {
  const auto refusal = [](const std::string& spec) { return refusal_of([&] { terms_of(spec); }); };
  EXPECT_THAT(refusal("parity:d=8,m=2,seed=1"), HasSubstr("a challenge has no seed"));
  EXPECT_THAT(refusal("parity:d=8,m=2,variant=minimal"), HasSubstr("0 where the switch is off"));
  EXPECT_THAT(refusal("staircase"),
              HasSubstr("challenges are made of block-parity, parity, lwr, lwe, lpn, nice"));
  EXPECT_THAT(refusal("nice:w_norm=1e-3"), HasSubstr("w_norm=0.001 is not in 0.01 .. 100"));
  EXPECT_THAT(refusal("nice:d=1024,k=4"), HasSubstr("3072 numbers a label"));
  EXPECT_THAT(refusal("parity:d=8,m=9"), HasSubstr("m=9"));
}

}  // namespace
}  // namespace hardhead::challenge
