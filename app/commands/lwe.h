#pragma once
#include <string>
#include <vector>

#include "base/text/json.h"
#include "base/text/spec.h"
#include "lwe/attacks/attack.h"

/// What the commands `hardhead lwe ..` share.
namespace hardhead::app {

/// The one method of --method, or the fallback. Throws InputError where it is given more than once.
Spec one_method(const std::vector<Spec>& given, const std::string& fallback);

/// The challenge that a SOURCE names: a file of one, or samples of a spec.
lwe::Challenge open_challenge(const std::string& source);

/// "lwe, n = 40, q = 12289, sigma = 3.2, uniform secret, 80 samples".
std::string describe(const lwe::Challenge& challenge);

/// `problem, n, q, .., samples, sha256`.
Json challenge_json(const lwe::Challenge& challenge);

}  // namespace hardhead::app
