// Vectors and rotations: the types every folder uses, and the few operations Eigen lacks.
// Quaternions are unit and map child axes to parent axes. Angles in radians.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stunt {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;  // constructor order (w, x, y, z); memory order x, y, z, w
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

constexpr double kPi = 3.14159265358979323846;
constexpr double degrees(double radians) { return radians * 180.0 / kPi; }
constexpr double radians(double degrees) { return degrees * kPi / 180.0; }

// Rotation vector (axis times angle) to quaternion, and back. log_map gives the shorter way, angle in [0,
// pi].
Quat exp_map(const Vec3& rotation_vector);
Vec3 log_map(const Quat& q);

// The angle of the rotation that takes a to b, in [0, pi].
double angle_between(const Quat& a, const Quat& b);

// A rotation about the vertical: heading of q, i.e. yaw of its x axis on the ground (of its -z axis when x
// points straight up or down, so that it is continuous for a body lying on its back or front).
double heading(const Quat& q);
Quat yaw_rotation(double angle);

// Rotation by `angle` about a unit axis.
inline Quat axis_angle(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis)); }

// Shortest rotation that takes direction a to direction b.
Quat rotation_between(const Vec3& a, const Vec3& b);

// q or -q, whichever is nearer to `near`: keeps a sequence of quaternions continuous.
Quat same_hemisphere(const Quat& q, const Quat& near);

// Splits q into swing * twist with twist about the unit `axis`; returns the twist angle in (-pi, pi].
double twist_angle(const Quat& q, const Vec3& axis);

// MuJoCo keeps quaternions as w, x, y, z in memory.
inline Vec3 vec3(const double* p) { return Vec3(p[0], p[1], p[2]); }
inline Quat quat_from_wxyz(const double* p) { return Quat(p[0], p[1], p[2], p[3]); }
inline void quat_to_wxyz(const Quat& q, double* p) {
  p[0] = q.w();
  p[1] = q.x();
  p[2] = q.y();
  p[3] = q.z();
}

}  // namespace stunt
