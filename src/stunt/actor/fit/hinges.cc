#include "stunt/actor/fit/hinges.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stunt {

constexpr int kFitIterations = 15;

double unwrap(double angle, double near) { return angle - 2 * kPi * std::round((angle - near) / (2 * kPi)); }

Vec3 hinge_angles(const Quat& turn, const Mat3& axes, const Vec3& near) {
  // In the hinges' own axes this is Rx(a) Ry(b) Rz(c), whose first row and last column have the sines and
  // cosines.
  const Mat3 r = axes.transpose() * turn.toRotationMatrix() * axes;
  const double b = std::asin(std::clamp(r(0, 2), -1.0, 1.0));
  return Vec3(unwrap(std::atan2(-r(1, 2), r(2, 2)), near[0]), b,
              unwrap(std::atan2(-r(0, 1), r(0, 0)), near[2]));
}

LimbSetting set_limb(const HingedLimb& limb, const Vec3& wanted, double angle) {
  constexpr double kTwistWeight = 0.02;
  constexpr int kIterations = 8;
  LimbSetting set{0, angle, 0};
  const Vec3 across = limb.axis.cross(limb.lower);
  for (int i = 0; i < kIterations; ++i) {
    const Quat twist = axis_angle(limb.upper, set.twist);
    const Quat lower = twist * limb.rest * axis_angle(limb.axis, set.angle);
    const Vec3 now = lower * limb.lower, error = wanted - now;
    Eigen::Matrix<double, 3, 2> j;
    j << limb.upper.cross(now), lower * across;
    Eigen::Matrix2d normal = j.transpose() * j;
    normal(0, 0) += kTwistWeight;
    normal(1, 1) += 1e-6;
    Eigen::Vector2d right = j.transpose() * error;
    right[0] -= kTwistWeight * set.twist;
    const Eigen::Vector2d step = normal.inverse() * right;
    set.twist += std::clamp(step[0], -0.5, 0.5);
    set.angle += std::clamp(step[1], -0.5, 0.5);
    set.miss = error.norm();
    if (step.norm() < 1e-10) break;
  }
  return set;
}

namespace {

// One step of the mean of what the rotations have beside a hinge behind `offset`.
Quat improved_offset(const std::vector<Quat>& turns, const Quat& offset, const Vec3& axis) {
  Vec3 mean = Vec3::Zero();
  for (const Quat& turn : turns) {
    const Quat from = offset.conjugate() * turn;
    mean += log_map(from * axis_angle(axis, -twist_angle(from, axis)));
  }
  return (offset * exp_map(mean / static_cast<double>(turns.size()))).normalized();
}

}  // namespace

Quat mean_offset(const std::vector<Quat>& turns, const Vec3& axis) {
  Quat offset = Quat::Identity();
  for (int i = 0; i < kFitIterations; ++i) offset = improved_offset(turns, offset, axis);
  return offset;
}

HingeFit fit_hinge(const std::vector<Quat>& turns, const Vec3& axis) {
  HingeFit fit{Quat::Identity(), axis};
  for (int i = 0; i < kFitIterations; ++i) {
    fit.offset = improved_offset(turns, fit.offset, fit.axis);
    // About the middle of the range: bending alone is then what the rotations differ by.
    Mat3 sum = Mat3::Zero();
    for (const Quat& turn : turns) {
      const Vec3 w = log_map(fit.offset.conjugate() * turn);
      sum += w * w.transpose();
    }
    const Vec3 found = Eigen::SelfAdjointEigenSolver<Mat3>(sum).eigenvectors().col(2);
    fit.axis = found.dot(fit.axis) < 0 ? Vec3(-found) : found;
  }
  return fit;
}

}  // namespace stunt
