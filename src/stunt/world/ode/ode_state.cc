// The state of ODE's bodies as MuJoCo's q and v, and back.
#include <Eigen/LU>
#include <algorithm>

#include "stunt/world/ode/ode_model.h"

namespace stunt {
namespace {

constexpr double kRegularisation = 1e-9;  // of the hinge axes' Gram matrix: finite in gimbal lock
constexpr int kHingeIterations = 5;

// x with (axes^T axes) x = right, in the first `count` components; the others are zero.
Vec3 solve_gram(const Mat3& axes, int count, const Vec3& right) {
  if (count == 1) return Vec3(right[0] / axes.col(0).squaredNorm(), 0, 0);
  Mat3 gram = axes.transpose() * axes + kRegularisation * Mat3::Identity();
  if (count == 2) gram(2, 2) = 1;
  return gram.inverse() * right;
}

// The `count` numbers at p, then zeros.
Vec3 first_of(const double* p, int count) { return Vec3(p[0], count > 1 ? p[1] : 0, count > 2 ? p[2] : 0); }

}  // namespace

Vec3 OdeModel::link_position(int link) const {
  return link < 0 ? Vec3(Vec3::Zero())
                  : ode_vec(dBodyGetPosition(links_[static_cast<std::size_t>(link)].body));
}
Quat OdeModel::link_rotation(int link) const {
  return link < 0 ? Quat::Identity()
                  : ode_quat(dBodyGetQuaternion(links_[static_cast<std::size_t>(link)].body));
}
Vec3 OdeModel::link_velocity(int link) const {
  return link < 0 ? Vec3(Vec3::Zero())
                  : ode_vec(dBodyGetLinearVel(links_[static_cast<std::size_t>(link)].body));
}
Vec3 OdeModel::link_angular_velocity(int link) const {
  return link < 0 ? Vec3(Vec3::Zero())
                  : ode_vec(dBodyGetAngularVel(links_[static_cast<std::size_t>(link)].body));
}
Vec3 OdeModel::velocity_at(int link, const Vec3& world_point) const {
  if (link < 0) return Vec3::Zero();
  return link_velocity(link) + link_angular_velocity(link).cross(world_point - link_position(link));
}
Vec3 OdeModel::world_anchor(int link) const {
  return link_position(link) + link_rotation(link) * links_[static_cast<std::size_t>(link)].anchor;
}

Vec3 OdeModel::position(int body) const {
  const Place& place = places_[static_cast<std::size_t>(body)];
  return link_position(place.link) + link_rotation(place.link) * place.offset;
}
Quat OdeModel::rotation(int body) const {
  const Place& place = places_[static_cast<std::size_t>(body)];
  return link_rotation(place.link) * place.turn;
}

Mat3 OdeModel::hinge_axes(const OdeLink& link, std::span<const double> q) const {
  const mjModel& m = model();
  Mat3 axes = Mat3::Zero();
  Quat turn = link_rotation(link.parent) * link.rest;
  for (int i = 0; i < link.joints; ++i) {
    const int j = link.first_joint + i, address = m.jnt_qposadr[j];
    axes.col(i) = turn * joint_axis(j);
    turn = turn * axis_angle(joint_axis(j), q[static_cast<std::size_t>(address)] - m.qpos0[address]);
  }
  return axes;
}

Vec3 OdeModel::hinge_torque(const OdeLink& link, std::span<const double> q, const double* Q) const {
  const Mat3 axes = hinge_axes(link, q);
  return axes * solve_gram(axes, link.joints, first_of(Q, link.joints));
}

void OdeModel::set_state(std::span<const double> q, std::span<const double> v) {
  const mjModel& m = model();
  for (const OdeLink& link : links_) {
    const double* qj = q.data() + m.jnt_qposadr[link.first_joint];
    const double* vj = v.data() + m.jnt_dofadr[link.first_joint];
    const Vec3 v3 = link.type == OdeLink::Type::hinges || link.type == OdeLink::Type::slide
                        ? Vec3(Vec3::Zero())
                        : Vec3(vj[0], vj[1], vj[2]);
    Vec3 anchor = link_position(link.parent) + link_rotation(link.parent) * link.parent_anchor;
    Vec3 anchor_velocity = velocity_at(link.parent, anchor);
    Quat turn = link_rotation(link.parent) * link.rest;
    Vec3 omega = link_angular_velocity(link.parent);
    switch (link.type) {
      case OdeLink::Type::free:
        turn = quat_from_wxyz(qj + 3).normalized();
        anchor = Vec3(qj[0], qj[1], qj[2]) + turn * (link.anchor + link.com);
        omega = turn * Vec3(vj[3], vj[4], vj[5]);
        anchor_velocity = v3 + omega.cross(turn * (link.anchor + link.com));
        break;
      case OdeLink::Type::ball:
        turn = turn * quat_from_wxyz(qj).normalized();
        omega += turn * v3;
        break;
      case OdeLink::Type::hinges: {
        omega += hinge_axes(link, q) * first_of(vj, link.joints);
        for (int i = 0; i < link.joints; ++i) {
          const int j = link.first_joint + i;
          turn = turn * axis_angle(joint_axis(j), qj[i] - m.qpos0[m.jnt_qposadr[j]]);
        }
        break;
      }
      case OdeLink::Type::slide: {
        const Vec3 axis = turn * joint_axis(link.first_joint);
        const double moved = qj[0] - m.qpos0[m.jnt_qposadr[link.first_joint]];
        anchor_velocity += vj[0] * axis + moved * omega.cross(axis);
        anchor += moved * axis;
        break;
      }
      case OdeLink::Type::platform:
        anchor += Vec3(qj[0], qj[1], qj[2]);
        anchor_velocity = v3;
        break;
    }
    const Vec3 arm = -(turn * link.anchor);  // from the anchor to the centre of mass
    const Vec3 velocity = anchor_velocity + omega.cross(arm);
    const Vec3 position = anchor + arm;
    const dQuaternion quaternion = {turn.w(), turn.x(), turn.y(), turn.z()};
    dBodySetPosition(link.body, position.x(), position.y(), position.z());
    dBodySetQuaternion(link.body, quaternion);
    dBodySetLinearVel(link.body, velocity.x(), velocity.y(), velocity.z());
    dBodySetAngularVel(link.body, omega.x(), omega.y(), omega.z());
  }
}

void OdeModel::read_state(std::span<double> q, std::span<double> v) const {
  const mjModel& m = model();
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const OdeLink& link = links_[l];
    const int index = static_cast<int>(l);
    double* qj = q.data() + m.jnt_qposadr[link.first_joint];
    double* vj = v.data() + m.jnt_dofadr[link.first_joint];
    const Quat turn = link_rotation(index);
    const Quat rest = link_rotation(link.parent) * link.rest;
    const Vec3 omega = link_angular_velocity(index) - link_angular_velocity(link.parent);
    switch (link.type) {
      case OdeLink::Type::free: {
        const Vec3 origin = link_position(index) - turn * link.com;
        Eigen::Map<Vec3>{qj} = origin;
        quat_to_wxyz(same_hemisphere(turn, quat_from_wxyz(qj + 3)), qj + 3);
        Eigen::Map<Vec3>{vj} = velocity_at(index, origin);
        Eigen::Map<Vec3>{vj + 3} = turn.conjugate() * omega;
        break;
      }
      case OdeLink::Type::ball:
        quat_to_wxyz(same_hemisphere((rest.conjugate() * turn).normalized(), quat_from_wxyz(qj)), qj);
        Eigen::Map<Vec3>{vj} = turn.conjugate() * omega;
        break;
      case OdeLink::Type::hinges: {
        // Newton's method from the angles before: the rotation that is missing, seen along the hinges' axes.
        for (int k = 0; k < kHingeIterations; ++k) {
          Quat made = rest;
          for (int i = 0; i < link.joints; ++i) {
            const int j = link.first_joint + i;
            made = made * axis_angle(joint_axis(j), qj[i] - m.qpos0[m.jnt_qposadr[j]]);
          }
          const Vec3 missing = log_map(turn * made.conjugate());
          const Mat3 axes = hinge_axes(link, q);
          const Vec3 correction = solve_gram(axes, link.joints, axes.transpose() * missing);
          for (int i = 0; i < link.joints; ++i) qj[i] += correction[i];
          if (correction.norm() < 1e-12) break;
        }
        const Mat3 axes = hinge_axes(link, q);
        const Vec3 rates = solve_gram(axes, link.joints, axes.transpose() * omega);
        std::copy_n(rates.data(), link.joints, vj);
        break;
      }
      case OdeLink::Type::slide: {
        const Vec3 axis = rest * joint_axis(link.first_joint);
        const Vec3 from = link_position(link.parent) + link_rotation(link.parent) * link.parent_anchor;
        const Vec3 to = world_anchor(index);
        qj[0] = m.qpos0[m.jnt_qposadr[link.first_joint]] + axis.dot(to - from);
        vj[0] = axis.dot(velocity_at(index, to) - velocity_at(link.parent, to));
        break;
      }
      case OdeLink::Type::platform:
        break;  // prescribed: the engine writes it
    }
  }
}

}  // namespace stunt
