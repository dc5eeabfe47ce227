#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace hardhead::study {

/// What a sweep was asked for, in DIR/sweep.json beside its journal: for whoever reads the folder, while it
/// runs or later.
struct SweepRecord {
  std::string command;    ///< goes on with it
  std::string file;       ///< the text of the TOML file
  std::int64_t runs = 0;  ///< that it plans
};

/// Throws InputError if it cannot be written.
void write_sweep_record(const SweepRecord& record, const std::string& folder);

/// Empty where the folder has none. Throws InputError for a file that is not one, naming the key.
std::optional<SweepRecord> read_sweep_record(const std::string& folder);

}  // namespace hardhead::study
