#pragma once
#include <initializer_list>
#include <string>

#include "base/files/temporary_folder.h"

namespace hardhead::report {

/// Runs gnuplot in `workplace` on a script that writes these files there, without the reader's own settings.
/// Throws InputError that names the figure: gnuplot is missing or complains, or one of the files is not there
/// or empty, as on a full disk, since gnuplot says nothing of that.
void run_gnuplot(const std::string& figure, const std::string& script, const TemporaryFolder& workplace,
                 std::initializer_list<std::string> files);

}  // namespace hardhead::report
