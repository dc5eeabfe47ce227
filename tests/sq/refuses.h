#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace hardhead::sq {

/// Expects `call` to throw an InputError whose text has `part` in it.
template <class Call>
void expect_refusal(const Call& call, const char* part) {
  try {
    call();
    ADD_FAILURE() << "accepted, though '" << part << "' was to be refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

}  // namespace hardhead::sq
