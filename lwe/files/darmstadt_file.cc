#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/read_file.h"
#include "base/text/number.h"
#include "lwe/files/instance_file.h"
#include "lwe/problem/verification.h"

namespace hardhead::lwe {
namespace {

/// Reads numbers and brackets off a file's text, skipping white space, commas (numpy, Sage and JSON print
/// them) and a byte order mark. Every error is an InputError "file 'F', offset N: ..".
class TextScanner {
 public:
  explicit TextScanner(const std::string& path) : path_(path), text_(read_file(path)) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  /// An integer in least .. most; `what` names it in errors.
  std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) {
    const std::string_view text = word(what);
    const auto value = whole_number<std::int64_t>(text);
    if (!value || *value < least || *value > most)
      fail(fmt::format("{} '{}' is not an integer in {} .. {}", what, text.substr(0, 40), least, most));
    at_ += text.size();
    return *value;
  }

  /// A finite number.
  long double real(std::string_view what) {
    const std::string_view text = word(what);
    const auto value = whole_number<long double>(text);
    if (!value || !std::isfinite(*value))
      fail(fmt::format("{} '{}' is not a finite number", what, text.substr(0, 40)));
    at_ += text.size();
    return *value;
  }

  /// The next character, which must be this one.
  void expect(char bracket, std::string_view what) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != bracket)
      fail(fmt::format("'{}' of {} is expected, {}", bracket, what, what_is_there()));
    ++at_;
  }

  /// Nothing may be left but white space.
  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail(fmt::format("the end is expected, {}", what_is_there()));
  }

  /// Characters not read yet: no honest list is longer than that.
  std::int64_t left() const { return static_cast<std::int64_t>(text_.size() - at_); }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("file '{}', offset {}: {}", path_, at_, message));
  }

 private:
  std::string_view word(std::string_view what) {
    skip_space();
    const std::size_t end = std::min(text_.find_first_of(", \n\r\t[]", at_), text_.size());
    if (end == at_) fail(fmt::format("{} is expected, {}", what, what_is_there()));
    return std::string_view(text_).substr(at_, end - at_);
  }
  void skip_space() { at_ = std::min(text_.find_first_not_of(", \n\r\t", at_), text_.size()); }
  std::string what_is_there() const {
    return at_ == text_.size() ? "the file ends" : fmt::format("not '{}'", text_[at_]);
  }

  std::string path_, text_;
  std::size_t at_ = 0;
};

double sigma_of(long double alpha, std::int64_t q) {
  return static_cast<double>(alpha * static_cast<long double>(q));
}

/// The shortest of two decimals that is read as the same sigma: doubles are not enough, since alpha q is
/// rounded.
std::string alpha_text(double sigma, std::int64_t q) {
  const long double alpha = static_cast<long double>(sigma) / static_cast<long double>(q);
  const std::string text = fmt::format("{}", static_cast<double>(alpha));
  return sigma_of(*whole_number<long double>(text), q) == sigma ? text : fmt::format("{:.21g}", alpha);
}

}  // namespace

Challenge read_darmstadt(const std::string& path) {
  TextScanner scan(path);
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
        path, name_of(p.problem), name_of(p.noise), name_of(p.secret)));
  std::string text = fmt::format("{}\n{}\n{}\n{}\n[{}]\n[", p.n, challenge.samples.count(), p.q,
                                 alpha_text(p.sigma, p.q), fmt::join(challenge.samples.b, " "));
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i)
    text += fmt::format("[{}]\n", fmt::join(challenge.samples.row(i), " "));
  write_text(path, text + "]\n");
}

void write_fplll_matrix(const std::string& path, const std::vector<std::vector<std::int64_t>>& matrix) {
  std::string text = "[";
  for (const auto& row : matrix) text += fmt::format("[{}]\n", fmt::join(row, " "));
  write_text(path, text + "]\n");
}

}  // namespace hardhead::lwe
