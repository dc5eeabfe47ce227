#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "lwe/instance_file.h"
#include "lwe/text_scanner.h"

namespace hardhead::lwe {

Challenge read_darmstadt(const std::string& path) {
  TextScanner scan = TextScanner::open(path);
  Challenge out;
  ProblemParameters& p = out.parameters;
  p.n = scan.integer("n", 1, 4096);
  const std::int64_t m = scan.integer("m", 1, std::int64_t{1} << 28);
  p.q = scan.integer("q", 2, std::int64_t{1} << 31);
  p.sigma = scan.real("alpha") * static_cast<double>(p.q);
  try {
    p.validate();
  } catch (const InputError& error) {
    scan.fail(error.what());
  }
  if (m * (p.n + 1) > scan.left())
    scan.fail(fmt::format("{} samples of n={} do not fit into the {} bytes left", m, p.n, scan.left()));
  const auto residue = [&](const char* what) { return static_cast<Residue>(scan.integer(what, 0, p.q - 1)); };
  scan.expect('[', "the labels");
  for (std::int64_t i = 0; i < m; ++i) out.samples.b.push_back(residue("a label"));
  scan.expect(']', "the labels");
  out.samples.n = p.n;
  scan.expect('[', "the matrix");
  for (std::int64_t i = 0; i < m; ++i) {
    scan.expect('[', "a row");
    for (std::int64_t j = 0; j < p.n; ++j) out.samples.a.push_back(residue("a coefficient"));
    scan.expect(']', "a row");
  }
  scan.expect(']', "the matrix");
  scan.expect_end();
  return out;
}

void write_darmstadt(const std::string& path, const Challenge& challenge) {
  const ProblemParameters& p = challenge.parameters;
  check_samples(p, challenge.samples);
  if (p.problem != Problem::lwe || p.noise != Noise::gaussian || p.secret != SecretKind::uniform)
    throw InputError(fmt::format(
        "file '{}': Darmstadt text is for lwe with Gaussian noise and a uniform secret, not {} with {} "
        "noise and a {} secret",
        path, to_string(p.problem), to_string(p.noise), to_string(p.secret)));
  AtomicFile file(path);
  file.stream() << fmt::format("{}\n{}\n{}\n{}\n[{}]\n[", p.n, challenge.samples.count(), p.q,
                               p.sigma / static_cast<double>(p.q), fmt::join(challenge.samples.b, " "));
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i)
    file.stream() << fmt::format("[{}]\n", fmt::join(challenge.samples.row(i), " "));
  file.stream() << "]\n";
  file.commit();
}

}  // namespace hardhead::lwe
