#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "lwe/files/instance_file.h"
#include "lwe/files/text_scanner.h"
#include "lwe/problem/verification.h"

namespace hardhead::lwe {
namespace {

double sigma_of(long double alpha, std::int64_t q) {
  return static_cast<double>(alpha * static_cast<long double>(q));
}

/// The shortest of two decimals that is read as the same sigma: doubles are not enough, since alpha q is
/// rounded.
std::string alpha_text(double sigma, std::int64_t q) {
  const long double alpha = static_cast<long double>(sigma) / static_cast<long double>(q);
  const std::string text = fmt::format("{}", static_cast<double>(alpha));
  long double again = 0;
  std::from_chars(text.data(), text.data() + text.size(), again);
  return sigma_of(again, q) == sigma ? text : fmt::format("{:.21g}", alpha);
}

}  // namespace

Challenge read_darmstadt(const std::string& path) {
  TextScanner scan = TextScanner::open(path);
  Challenge out;
  ProblemParameters& p = out.parameters;
  p.n = scan.integer("n", 1, 4096);
  const std::int64_t m = scan.integer("m", 1, std::int64_t{1} << 28);
  p.q = scan.integer("q", 2, std::int64_t{1} << 32);
  p.sigma = sigma_of(scan.real("alpha"), p.q);
  try {
    p.validate();
  } catch (const InputError& error) {
    scan.fail(error.what());
  }
  if (m * (p.n + 1) > scan.left())
    scan.fail(fmt::format("{} samples of n={} do not fit into the {} bytes left", m, p.n, scan.left()));
  const auto residue = [&](const char* what) {
    const std::int64_t x = scan.integer(what, 1 - p.q, p.q - 1);
    return static_cast<Residue>(x < 0 ? x + p.q : x);
  };
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
  if (p.problem != ProblemKind::lwe || p.noise != Noise::gaussian || p.secret != SecretKind::uniform)
    throw InputError(fmt::format(
        "file '{}': Darmstadt text is for lwe with Gaussian noise and a uniform secret, not {} with {} "
        "noise and a {} secret",
        path, to_string(p.problem), to_string(p.noise), to_string(p.secret)));
  AtomicFile file(path);
  file.stream() << fmt::format("{}\n{}\n{}\n{}\n[{}]\n[", p.n, challenge.samples.count(), p.q,
                               alpha_text(p.sigma, p.q), fmt::join(challenge.samples.b, " "));
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i)
    file.stream() << fmt::format("[{}]\n", fmt::join(challenge.samples.row(i), " "));
  file.stream() << "]\n";
  file.commit();
}

}  // namespace hardhead::lwe
