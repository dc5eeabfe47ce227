#include "attention/layer/assignment.h"

#include <limits>

namespace hardhead::attention {

std::vector<Index> cheapest_assignment(const Matrix& cost) {
  const Index n = cost.rows();
  const double infinity = std::numeric_limits<double>::infinity();
  // Rows and columns count from 1; column 0 is where a row starts that has no column yet.
  std::vector<double> row_potential(n + 1, 0), column_potential(n + 1, 0);
  std::vector<Index> row_of(n + 1, 0), previous(n + 1, 0);
  for (Index row = 1; row <= n; ++row) {
    row_of[0] = row;
    Index column = 0;
    std::vector<double> slack(n + 1, infinity);
    std::vector<bool> visited(n + 1, false);
    do {
      visited[column] = true;
      const Index from = row_of[column];
      double least = infinity;
      Index next = 0;
      for (Index j = 1; j <= n; ++j) {
        if (visited[j]) continue;
        const double reduced = cost(from - 1, j - 1) - row_potential[from] - column_potential[j];
        if (reduced < slack[j]) slack[j] = reduced, previous[j] = column;
        if (slack[j] < least) least = slack[j], next = j;
      }
      for (Index j = 0; j <= n; ++j) {
        if (visited[j])
          row_potential[row_of[j]] += least, column_potential[j] -= least;
        else
          slack[j] -= least;
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = previous[column]) row_of[column] = row_of[previous[column]];
  }
  std::vector<Index> column_of(n);
  for (Index j = 1; j <= n; ++j) column_of[row_of[j] - 1] = j - 1;
  return column_of;
}

}  // namespace hardhead::attention
