#include "stunt/reference/cleanup/smooth_correction.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stunt {
namespace {

constexpr double kFading = 0.05;  // s, T
constexpr double kFirm = 1e9;     // w of what is met exactly

}  // namespace

void CorrectionTargets::set(int frame, double target, bool exactly) {
  value[frame] = target;
  weight[frame] = exactly ? kFirm : 1;
}

SmoothCorrection::SmoothCorrection(int frames, double rate_hz)
    : n_(frames), stiffness_(std::pow(kFading * rate_hz, 6)) {}

// Cholesky of a symmetric matrix with three diagonals below the main one: L D L^T, row by row.
std::vector<double> SmoothCorrection::through(const CorrectionTargets& targets) const {
  constexpr std::array<double, 4> kThird = {-1, 3, -3, 1};
  std::vector<std::array<double, 4>> band(n_);  // [i][k]: entry (i, i - k)
  std::vector<double> e(n_);
  for (int i = 0; i < n_; ++i) {
    band[i] = {targets.weight[i], 0, 0, 0};
    e[i] = targets.weight[i] * targets.value[i];
  }
  for (int i = 0; i + 3 < n_; ++i) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b <= a; ++b) band[i + a][a - b] += stiffness_ * kThird[a] * kThird[b];
    }
  }
  for (int i = 0; i < n_; ++i) {
    for (int k = std::min(i, 3); k >= 1; --k) {  // L(i, i-k)
      for (int j = k + 1; j <= std::min(i, 3); ++j)
        band[i][k] -= band[i][j] * band[i - j][0] * band[i - k][j - k];
      band[i][k] /= band[i - k][0];
    }
    for (int k = 1; k <= std::min(i, 3); ++k) band[i][0] -= band[i][k] * band[i][k] * band[i - k][0];
    for (int k = 1; k <= std::min(i, 3); ++k) e[i] -= band[i][k] * e[i - k];
  }
  for (int i = n_ - 1; i >= 0; --i) {
    e[i] /= band[i][0];
    for (int k = 1; k <= std::min(n_ - 1 - i, 3); ++k) e[i] -= band[i + k][k] * e[i + k];
  }
  return e;
}

}  // namespace stunt
