#include "attention/forward/signs.h"

#include <cassert>

#include "attention/kernels/sign_kernels.h"

namespace hardhead::attention {
namespace {

StridedRows strided(const Eigen::Ref<const RowMatrix>& matrix) {
  const auto size = [](Index number) { return static_cast<std::size_t>(number); };
  return {matrix.data(), size(matrix.outerStride()), size(matrix.rows()), size(matrix.cols())};
}

SignTokens tokens_of(const Signs& signs, const Block& block) {
  assert(signs.d() == block.d() && signs.columns() == block.k * block.count);
  return {.patterns = signs.group(0),
          .words = signs.words(),
          .rows = static_cast<std::size_t>(signs.d()),
          .groups = static_cast<std::size_t>(signs.groups()),
          .k = static_cast<std::size_t>(block.k),
          .count = static_cast<std::size_t>(block.count)};
}

}  // namespace

bool Signs::take(const RowMatrix& x) {
  d_ = x.rows(), columns_ = 0;
  patterns_.resize(static_cast<std::size_t>(groups() * x.cols()) + sign_slack);
  if (!sign_patterns(strided(x), patterns_.data())) return false;
  columns_ = x.cols();
  words_.resize(static_cast<std::size_t>((groups() + 7) / 8 * columns_) + sign_slack);
  sign_words(patterns_.data(), static_cast<std::size_t>(groups()), static_cast<std::size_t>(columns_),
             words_.data());
  return true;
}

void Signs::take_transposed(const Signs& signs) {
  d_ = signs.columns(), columns_ = signs.d();
  words_.clear();
  patterns_.assign(static_cast<std::size_t>(groups() * columns_) + sign_slack, 0);
  for (Index f = 0; f < columns_; ++f) {
    const std::uint8_t* const from = signs.group(f / 4);
    const int bit = 3 + static_cast<int>(f % 4);
    for (Index c = 0; c < d_; ++c)
      patterns_[static_cast<std::size_t>(c / 4 * columns_ + f)] |=
          static_cast<std::uint8_t>((from[c] >> bit & 1) << (3 + c % 4));
  }
}

SignTables::SignTables(const Eigen::Ref<const RowMatrix>& matrix)
    : rows_(matrix.rows()), groups_((matrix.cols() + 3) / 4) {
  constexpr auto panel = static_cast<Index>(sign_panel), table = static_cast<Index>(sign_table);
  sums_.resize(static_cast<std::size_t>((rows_ + panel - 1) / panel * groups_ * table));
  sign_tables(strided(matrix), sums_.data());
}

void SignTables::apply(const Signs& signs, Eigen::Ref<RowMatrix> out) const {
  assert(out.rows() == rows_);
  sign_products({.tables = sums_.data(),
                 .patterns = signs.group(0),
                 .rows = static_cast<std::size_t>(out.rows()),
                 .groups = static_cast<std::size_t>(groups_),
                 .columns = static_cast<std::size_t>(signs.columns()),
                 .out = out.data(),
                 .stride = static_cast<std::size_t>(out.outerStride())});
}

void sign_token_products(const SignTables& tables, const Signs& signs, const Block& block,
                         Eigen::Ref<RowMatrix> out) {
  sign_logits({.at = tokens_of(signs, block),
               .tables = tables.data(),
               .out = out.data(),
               .out_stride = static_cast<std::size_t>(out.outerStride())});
}

void sign_token_mixtures(const std::vector<SignTables>& tables, const Signs& signs, const RowMatrix& p,
                         RowMatrix& scratch, Block& block) {
  // Eight rows that begin with a line of the cache, wherever Eigen's memory does.
  constexpr std::size_t line = 64;
  const auto panel = static_cast<Index>(sign_panel);
  scratch.resize(panel, block.k * block.count + 1);
  const auto start = reinterpret_cast<std::uintptr_t>(scratch.data());
  std::vector<const double*> of_heads;
  for (const SignTables& one : tables) of_heads.push_back(one.data());
  sign_mixtures({.at = tokens_of(signs, block),
                 .tables = of_heads.data(),
                 .heads = of_heads.size(),
                 .p = p.data(),
                 .p_stride = static_cast<std::size_t>(p.outerStride()),
                 .y = block.y.data(),
                 .y_stride = static_cast<std::size_t>(block.y.outerStride()),
                 .scratch = scratch.data() + (line - start % line) % line / sizeof(double)});
}

void add_sign_outer(const Eigen::Ref<const RowMatrix>& left, const Signs& transposed,
                    Eigen::Ref<Matrix> sum) {
  add_sign_outer({.left = strided(left),
                  .patterns = transposed.group(0),
                  .features = static_cast<std::size_t>(transposed.columns()),
                  .sum = sum.data(),
                  .stride = static_cast<std::size_t>(sum.outerStride())});
}

}  // namespace hardhead::attention
