#include "base/error.h"
#include "lwe/files/instance_file.h"
#include "tests/fuzz/target.h"

namespace hardhead::fuzz {
namespace {

void read_solution(const Folder& folder, const std::string& path) {
  try {
    const lwe::Solution solution = lwe::read_solution(path, 97);
    lwe::write_solution(folder.path("again"), solution);
    const lwe::Solution again = lwe::read_solution(folder.path("again"), 97);
    require(again.instance == solution.instance && again.secret == solution.secret,
            "a solution comes back as it was");
  } catch (const Error&) {
  }
}

}  // namespace

void read(std::string_view bytes) {
  static const Folder folder;
  const std::string path = folder.write("file", bytes);
  read_solution(folder, path);
  const lwe::Challenge challenge = lwe::read_json_challenge(path);
  lwe::write_json_challenge(folder.path("again"), challenge);
  const lwe::Challenge again = lwe::read_json_challenge(folder.path("again"));
  require(again.parameters == challenge.parameters &&
              lwe::content_digest(again) == lwe::content_digest(challenge),
          "a challenge comes back as it was");
}

}  // namespace hardhead::fuzz
