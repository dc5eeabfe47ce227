#pragma once
#include <string>

#include "base/text/spec.h"
#include "lwe/attacks/attack.h"

namespace hardhead::lwe {

/// An attack of the caller's. It has no cost model: its seconds are not predicted (NaN).
Attack own_attack(std::string name, decltype(Attack::run) run);

/// An attack that is a program of the user's, in any language. The shell runs
///
///     COMMAND CHALLENGE SOLUTION
///
/// with two JSON files (files/instance_file.h): CHALLENGE has the parameters and the samples, and never the
/// secret or the seed; SOLUTION is to be written, `{"schema": "hardhead.lwe-solution/1", "secret": [..]}`,
/// entries in -q + 1
/// .. q - 1. What it holds is verified as every candidate is. A program that ends without it, or otherwise
/// than with exit code 0, has not solved the challenge, and the message has its last line. A time limit kills
/// it with all its children.
///
/// It is on trust: it runs as the same user, and can read the command line of the program that started it,
/// which may have the seed.
Attack program_attack(const std::string& command);

/// What `--method` names: an attack of this program, or for `exec:COMMAND` (base/text/spec.h: parse_learner)
/// a program of the user's. Throws InputError for options, which attacks do not have, and as find_attack().
Attack attack_of(const Spec& method);

}  // namespace hardhead::lwe
