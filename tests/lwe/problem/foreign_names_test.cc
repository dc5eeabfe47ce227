#include "lwe/problem/foreign_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lwe/recipe.h"
#include "tests/refusal.h"

namespace hardhead::lwe {
namespace {

TEST(ForeignNames, AreThoseOfLatticeEstimator) {
  const auto same = [](const char* theirs, const char* ours) {
    EXPECT_EQ(parse(theirs).spec.str(), parse(ours).spec.str()) << theirs;
  };
  same("lwe:n=512,q=3329,Xs=ND.CenteredBinomial(3),Xe=CenteredBinomial(2),m=1024",
       "lwe:n=512,q=3329,secret=binomial,secret_eta=3,noise=binomial,eta=2,sigma=0,samples=1024");
  same("lwe:Xs=UniformMod(12289),Xe=DiscreteGaussian(2.5)", "lwe:sigma=2.5");
  same("lwe:Xs=gaussian(2.75),Xe=Binary", "lwe:secret=gaussian,secret_sigma=2.75,noise=binary");
  same("lwe:n=64,Xs=SparseTernary(8)", "lwe:n=64,secret=sparse-ternary,weight=16");
  same("lwe:n=64,Xs=sparse-ternary(16)", "lwe:n=64,secret=sparse-ternary,weight=16");
  same("lwe:n=64,Xs=sparse-ternary:16,Xe=binomial:2",
       "lwe:n=64,secret=sparse-ternary,weight=16,noise=binomial,eta=2");
  same("lwr:Xs=Ternary,m=20", "lwr:secret=ternary,samples=20");
  EXPECT_NEAR(parse("lwe:q=4093,alpha=0.005").parameters.sigma, 0.005 * 4093 / 2.5066282746310002, 1e-12);
}

TEST(ForeignNames, WhatTheyDoNotSayIsRefusedByName) {
  const auto refuses = [](const char* spec, const char* says) {
    EXPECT_THAT(refusal_of([&] { parse(spec); }), testing::HasSubstr(says)) << spec;
  };
  refuses("lwe:Xe=Cauchy(2)", "Xe='Cauchy(2)' is no law of the noise (one of: binary");
  refuses("lwe:Xe=Ternary", "Xe='Ternary' is no law of the noise");
  refuses("lwe:Xs=CenteredBinomial",
          "Xs='CenteredBinomial': CenteredBinomial needs its number, as in CenteredBinomial(3)");
  refuses("lwe:samples=4,m=5", "m says samples=5, which is 4 already");
  refuses("lwe:sigma=3,alpha=0.01", "alpha says sigma=");
  refuses("lpn:Xe=Binary", "'lpn' has no parameter 'Xe'");
  refuses("lwe:Xs=binomial(3", "needs its number");
  refuses("lwe:Xs=SparseTernary(x)", "'x' is no integer");
}

}  // namespace
}  // namespace hardhead::lwe
