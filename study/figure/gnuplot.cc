#include "study/figure/gnuplot.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/process/external_command.h"

namespace hardhead::report {

void run_gnuplot(const std::string& figure, const std::string& script, const TemporaryFolder& workplace,
                 std::initializer_list<std::string> files) {
  const std::string folder = std::filesystem::path(workplace.file("script")).parent_path().string();
  const auto fail = [&](const std::string& why) {
    throw InputError(fmt::format("figure '{}': {}", figure, why));
  };
  const auto disk_is_full = [&] {
    const std::string parent = std::filesystem::path(folder).parent_path().string();
    fail(fmt::format("it could not be written whole: is there no space left where '{}' is?", parent));
  };
  std::ofstream out(workplace.file("script"));
  out << script;
  out.close();
  if (!out) disk_is_full();
  const CommandEnding ending =
      run_command(fmt::format("cd {} && exec gnuplot -d script", shell_quoted(folder)), workplace.file("log"),
                  std::nullopt, {});
  if (!ending.well())
    fail(fmt::format("gnuplot ended with {}: {}{}", ending.str(), ending.last_words,
                     ending.exit_code == 127 ? " (Debian's package: gnuplot-nox)" : ""));
  for (const std::string& file : files) {
    std::error_code missing;
    if (std::filesystem::file_size(workplace.file(file), missing) == 0 || missing) disk_is_full();
  }
}

}  // namespace hardhead::report
