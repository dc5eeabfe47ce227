#include "learner/oracle/value_oracle.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/run/parallel.h"
#include "base/text/number.h"

namespace hardhead::learner {
namespace {

using attention::Block;

attention::Labelled domain_of(const attention::Teacher& teacher, const OracleOptions& options) {
  attention::Labelled out = teacher.labelled();
  if (!options.tokens) return out;
  if (*options.tokens < 1)
    throw InputError(fmt::format("queries of {}: at least 1 is needed", counted(*options.tokens, "token")));
  if (out.tokens && *out.tokens != *options.tokens)
    throw InputError(fmt::format("queries of {}: this layer has exact values for {} only",
                                 counted(*options.tokens, "token"), counted(*out.tokens, "token")));
  out.tokens = options.tokens;
  return out;
}

// Writes block.y from block.x, some examples at a time on each thread: a label has the same bits in whatever
// block.
void label(const attention::Teacher& teacher, Block& block) {
  const std::int64_t parts = attention::blocks_of(block.count);
  if (parts == 1) return teacher.label(block);
  parallel_for_each_index(parts, [&](std::int64_t p) {
    const Index first = p * attention::block_size,
                count = std::min(attention::block_size, block.count - first);
    Block part(block.d(), block.k, count);
    for (Index a = 0; a < block.k; ++a)
      part.x.middleCols(a * count, count) = block.x.middleCols(block.column(a, first), count);
    teacher.label(part);
    for (Index a = 0; a < block.k; ++a) block.y.middleCols(block.column(a, first), count) = part.label(a);
  });
}

void add_uniform(double tau, std::uint64_t first, const Stream& noise, Block& block) {
  const Index d = block.d();
  std::vector<double> u(static_cast<std::size_t>(block.k * d));
  for (Index n = 0; n < block.count; ++n) {
    noise.uniforms(first + static_cast<std::uint64_t>(n), u);
    for (Index a = 0; a < block.k; ++a)
      for (Index f = 0; f < d; ++f)
        block.y(f, block.column(a, n)) += tau * (2 * u[static_cast<std::size_t>(a * d + f)] - 1);
  }
}

}  // namespace

Account::Account(std::optional<std::int64_t> budget) : budget_(budget) {
  if (budget && *budget < 1)
    throw InputError(fmt::format("a budget of {} queries: at least 1 is needed", *budget));
}

void Account::charge(std::int64_t queries, std::int64_t tokens_each) {
  stop_.check();
  if (budget_ && queries > *budget_ - queries_) throw OutOfQueries{*budget_};
  queries_ += queries;
  tokens_ += queries * tokens_each;
}

void Tolerance::validate() const {
  if (!(tau >= 0) || !std::isfinite(tau))
    throw InputError(fmt::format("tolerance = {}: a finite number of at least 0 is expected", tau));
}

void Tolerance::apply(std::uint64_t first, const Stream& noise, Block& block) const {
  if (tau == 0) return;
  switch (policy) {
    case AnswerPolicy::uniform:
      return add_uniform(tau, first, noise, block);
    case AnswerPolicy::worst:
      block.y = block.y.unaryExpr(
          [this](double v) { return v + (std::fmod(std::floor(v / tau), 2) == 0 ? tau : -tau); });
      return;
    case AnswerPolicy::grid:
      block.y = block.y.unaryExpr([this](double v) { return 2 * tau * std::nearbyint(v / (2 * tau)); });
      return;
  }
}

ValueOracle::ValueOracle(std::shared_ptr<const attention::Teacher> teacher, Index d, OracleOptions options)
    : teacher_(std::move(teacher)),
      d_(d),
      options_(std::move(options)),
      domain_(domain_of(*teacher_, options_)),
      account_(options_.budget),
      noise_(Domain::samples, options_.seed, "value oracle") {
  options_.tolerance.validate();
}

void ValueOracle::check_last_feature(const Block& block) const {
  const auto last = block.x.row(d_ - 1);
  for (Index c = 0; c < block.x.cols(); ++c) {
    const double first_token = last(c % block.count);
    if (last(c) == first_token && std::abs(last(c)) == 1) continue;
    throw InputError(
        fmt::format("query {}, token {}: the last feature is {}, and that of token 0 is {}; this layer has "
                    "biases, whose feature is 1 in every token (or -1, for -F(-X))",
                    c % block.count, c / block.count, last(c), first_token));
  }
}

void ValueOracle::check(const Block& block) const {
  if (block.d() != d_) throw InputError(fmt::format("a query of {} features: F has d = {}", block.d(), d_));
  if (domain_.tokens && block.k != *domain_.tokens)
    throw InputError(fmt::format("a query of {}: this oracle takes {}", counted(block.k, "token"),
                                 counted(*domain_.tokens, "token")));
  for (Index f = 0; f < block.x.rows(); ++f)
    for (Index c = 0; c < block.x.cols(); ++c) {
      const double entry = block.x(f, c);
      if (!std::isfinite(entry))
        throw InputError(
            fmt::format("query {}, token {}: feature {} is {}", c % block.count, c / block.count, f, entry));
      if (domain_.boolean_only && entry != 1 && entry != -1)
        throw InputError(fmt::format(
            "query {}, token {}: feature {} is {}, and this layer has exact values for tokens of -1 "
            "and +1 only (a forward pass would write one level as several doubles)",
            c % block.count, c / block.count, f, entry));
    }
  if (last_is_one()) check_last_feature(block);
}

void ValueOracle::ask(Block& block) {
  check(block);
  const std::int64_t first = account_.queries() + 1;
  account_.charge(block.count, block.k);
  label(*teacher_, block);
  options_.tolerance.apply(static_cast<std::uint64_t>(first), noise_, block);
  for (Index f = 0; f < block.y.rows(); ++f)
    for (Index c = 0; c < block.y.cols(); ++c)
      if (const double v = block.y(f, c); !std::isfinite(v))
        throw BadAnswer{fmt::format("the oracle's answer to query {}, row {}, feature {} is {}",
                                    first + c % block.count, c / block.count, f, v)};
  if (options_.listener) options_.listener(block);
}

attention::RowMatrix ValueOracle::ask_with_hints(Block& block) {
  if (!has_hints()) throw InputError("this oracle gives no hints");
  ask(block);
  return options_.hints(block);
}

double answer_bytes(const attention::PassShape& shape, Index queries) {
  return attention::workspace_bytes(shape).apply * static_cast<double>(queries) / attention::block_size;
}

ExactOracle::ExactOracle(attention::ExactLayer layer, std::optional<std::int64_t> budget)
    : layer_(std::move(layer)), account_(budget) {
  layer_.validate();
}

std::vector<Rational> ExactOracle::ask(std::span<const int> x) {
  account_.charge(1, static_cast<Index>(x.size()) / layer_.d);
  return attention::evaluate(layer_, x);
}

}  // namespace hardhead::learner
