#include "stunt/world/linearised/contact_lcp.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

// Of the mean of the diagonal: makes one of many distributions over redundant points the solution.
constexpr double kSoftness = 1e-6, kSofter = 1e-3;

}  // namespace

ContactLcp::ContactLcp(int most_points, int most_limits) : solver_(kPerPoint * most_points + most_limits) {
  const int most = kPerPoint * most_points + most_limits;
  C_.resize(most, most);
  h_.resize(most);
  z_.resize(most);
  guess_.reserve(static_cast<std::size_t>(most));
  for (int side = 0; side < kSides; ++side) {
    const double angle = 2 * kPi * side / kSides;
    directions_.row(side) << std::cos(angle), std::sin(angle);
  }
}

LcpStatus ContactLcp::attempt(int n, double softness) {
  if (static_cast<int>(guess_.size()) == n) {
    z_.head(n) = VecX::Map(guess_.data(), n);
  } else {
    z_.head(n).setZero();
  }
  auto C = C_.topLeftCorner(n, n);
  const double soft = softness * C.diagonal().mean();
  C.diagonal().array() += soft;
  const LcpStatus status = solver_.solve(C, h_.head(n), z_.head(n));
  C.diagonal().array() -= soft;
  return status;
}

bool ContactLcp::solve(const Eigen::Ref<const MatX>& response, const Eigen::Ref<const VecX>& speed,
                       const std::vector<Point>& points, const std::vector<double>& limit_gaps,
                       Eigen::Ref<VecX> impulses) {
  const int count = static_cast<int>(points.size()), limits = static_cast<int>(limit_gaps.size());
  const int n = kPerPoint * count + limits;
  if (n == 0) return true;
  if (n > h_.size()) {
    C_.resize(2 * n, 2 * n);
    h_.resize(2 * n);
    z_.resize(2 * n);
  }
  auto C = C_.topLeftCorner(n, n);
  C.setZero();
  const Eigen::Matrix<double, kSides, 2>& sides = directions_;
  const int first_limit = kPerPoint * count;
  for (int i = 0; i < count; ++i) {
    const int row = kPerPoint * i;
    for (int j = 0; j < count; ++j) {
      const int column = kPerPoint * j;
      const Mat3 block = response.block<3, 3>(3 * i, 3 * j);
      C(row, column) = block(0, 0);
      C.block<1, kSides>(row, column + 1).noalias() = block.block<1, 2>(0, 1) * sides.transpose();
      C.block<kSides, 1>(row + 1, column).noalias() = sides * block.block<2, 1>(1, 0);
      const Eigen::Matrix<double, kSides, 2> across = sides * block.block<2, 2>(1, 1);
      C.block<kSides, kSides>(row + 1, column + 1).noalias() = across * sides.transpose();
    }
    for (int j = 0; j < limits; ++j) {
      C(row, first_limit + j) = response(3 * i, 3 * count + j);
      C.block<kSides, 1>(row + 1, first_limit + j).noalias() =
          sides * response.block<2, 1>(3 * i + 1, 3 * count + j);
      C(first_limit + j, row) = response(3 * count + j, 3 * i);
      C.block<1, kSides>(first_limit + j, row + 1).noalias() =
          response.block<1, 2>(3 * count + j, 3 * i + 1) * sides.transpose();
    }
    const int sliding = row + kPerPoint - 1;
    C.block<kSides, 1>(row + 1, sliding).setOnes();
    C.block<1, kSides>(sliding, row + 1).setConstant(-1);
    C(sliding, row) = points[i].friction;
    h_[row] = speed[3 * i] + points[i].gap;
    h_.segment<kSides>(row + 1).noalias() = sides * speed.segment<2>(3 * i + 1);
    h_[sliding] = 0;
  }
  C.bottomRightCorner(limits, limits) = response.bottomRightCorner(limits, limits);
  for (int j = 0; j < limits; ++j) h_[first_limit + j] = speed[3 * count + j] + limit_gaps[j];

  LcpStatus status = attempt(n, kSoftness);
  if (status != LcpStatus::solved) status = attempt(n, kSofter);
  const bool with_friction = status == LcpStatus::solved;
  if (!with_friction) {
    for (int i = 0; i < count; ++i) {
      C.middleRows<kPerPoint - 1>(kPerPoint * i + 1).setZero();
      C.middleCols<kPerPoint - 1>(kPerPoint * i + 1).setZero();
      C.diagonal().segment<kPerPoint - 1>(kPerPoint * i + 1).setOnes();
      h_.segment<kPerPoint - 1>(kPerPoint * i + 1).setZero();
    }
    if (attempt(n, kSofter) != LcpStatus::solved) z_.head(n).setZero();
  }
  for (int i = 0; i < count; ++i) {
    impulses[3 * i] = z_[kPerPoint * i];
    impulses.segment<2>(3 * i + 1).noalias() = sides.transpose() * z_.segment<kSides>(kPerPoint * i + 1);
  }
  impulses.tail(limits) = z_.segment(first_limit, limits);
  guess_.assign(z_.data(), z_.data() + n);
  return with_friction;
}

}  // namespace stunt
