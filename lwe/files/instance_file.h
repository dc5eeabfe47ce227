#pragma once
#include <string>
#include <vector>

#include "base/files/atomic_file.h"
#include "lwe/problem/challenge.h"

namespace hardhead::lwe {

/// Files of challenges: parameters and samples, without secret, spec or seed. Every reader treats its file as
/// hostile: sizes are checked against what is there before anything is allocated, numbers against their
/// range. Errors are InputErrors that name the file and the offset (bytes from its start) or the JSON key.
/// Writers are whole or nothing.
///
/// **JSON**, any problem:
///
///     {"schema": "hardhead.lwe/1", "problem": "lwe", "n": 2, "q": 97, "secret": "uniform", "sigma": 3.2,
///      "noise": "gaussian",
///      "a": [[1, 2], ..], "b": [3, ..], "sha256": ".."}
///
/// with p and rounding ("floor", "nearest", "even") for lwr, rate for lpn, weight for fixed-weight secrets.
/// a, b may be negative residues. sha256 is content_digest() and must be right; without it, and without
/// `rounding`, the challenge has a note.
Challenge read_json_challenge(const std::string& path);
/// Throws InputError if the file cannot be written.
void write_json_challenge(const std::string& path, const Challenge& challenge);
/// The same into a file that the caller commits.
void write_json_challenge(AtomicFile& file, const Challenge& challenge);

/// **Darmstadt challenge text** (latticechallenge.org), lwe with Gaussian noise and uniform secret only: n,
/// m, q, alpha, the labels, the m x n matrix. Noise has standard deviation alpha q. Residues may be negative,
/// and commas may stand between them.
///
///     40
///     1600
///     1601
///     0.005
///     [12 1503 ..]
///     [[3 5 ..]
///     [..]
///     ]
Challenge read_darmstadt(const std::string& path);
/// Throws InputError for other problems, noises and secrets, which the format cannot name.
void write_darmstadt(const std::string& path, const Challenge& challenge);

/// Writes fplll's matrix text, whole or not at all: one row a pair of brackets,
///
///     [[1 0 5]
///     [0 1 7]
///     ]
void write_fplll_matrix(const std::string& path, const std::vector<std::vector<std::int64_t>>& matrix);

/// By the file's first character, after a byte order mark: '{' is JSON, a digit Darmstadt text.
Challenge read_challenge(const std::string& path);

/// A claimed solution: {"schema": "hardhead.lwe-solution/1", "instance": sha256 of the challenge, "secret":
/// [..]}.
struct Solution {
  std::string instance;         ///< content_digest() of the challenge; empty: it does not say
  std::vector<Residue> secret;  ///< n entries

  /// Why it is none of this challenge: it names another one. Empty if it does not.
  std::string objection(const Challenge& challenge) const;
};
/// Entries may be negative residues mod q. Throws InputError naming file and key.
Solution read_solution(const std::string& path, std::int64_t q);
/// Throws InputError if the file cannot be written.
void write_solution(const std::string& path, const Solution& solution);
/// The same into a file that the caller commits.
void write_solution(AtomicFile& file, const Solution& solution);

/// SHA-256 over the parameters and all samples: the same challenge whatever file it is in. What is hashed are
/// three strings, each behind its length in bytes as 8 bytes, the lowest first: the parameters as
///
///     lwr n=8 q=16 secret=uniform weight=0 noise=gaussian sigma=0 p=2 rate=0
///
/// with the shortest decimals that are read as the same number, and behind them ` rounding=nearest`
/// or ` rounding=even` where the file says so; a, row by row; and b: 4 bytes a number, the lowest first.
std::string content_digest(const Challenge& challenge);

}  // namespace hardhead::lwe
