#include "stunt/core/nearest_name.h"

#include <algorithm>

namespace stunt {
namespace {

constexpr std::size_t kLongestName = 60;

// Edits from one word to the other: a letter changed, left out, put in, or two neighbours swapped (Damerau).
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min(
          {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view written, const std::vector<std::string>& names) {
  if (written.size() > kLongestName) return "";
  std::string nearest;
  std::size_t fewest = written.size() / 3 + 1;  // one more than may be
  for (const std::string& name : names) {
    if (name.size() > kLongestName) continue;
    const std::size_t edits = edits_between(written, name);
    if (edits < fewest) {
      fewest = edits;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace stunt
