#include "stunt/world/ode/ode_engine.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/world/ode/ode_grips.h"
#include "stunt/world/ode/ode_model.h"
#include "stunt/world/ode/ode_springs.h"

namespace stunt {
namespace {

constexpr int kMostContactsOfAPair = 8;
constexpr std::size_t kMostContacts = 2048;  // of a step; further ones are left out
constexpr double kContactMass = 40;          // kg: the mass for which contact.time_constant is right
constexpr double kSlidingSpeed = 0.01;       // m/s: above it the friction pyramid is turned along the motion
constexpr double kBeyondReason =
    1e15;  // SI units: positions, speeds, forces that no solver could still handle

class OdeEngine final : public Engine {
 public:
  explicit OdeEngine(std::shared_ptr<const CompiledScene> scene)
      : scene_(std::move(scene)),
        model_(scene_),
        m_(scene_->model.get()),
        springs_(model_, scene_->contact),
        grips_(model_),
        contact_group_(dJointGroupCreate(0)),
        q_(m_->qpos0, m_->qpos0 + m_->nq),
        v_(static_cast<std::size_t>(m_->nv), 0.0),
        forces_(v_.size(), 0.0),
        total_(v_.size(), 0.0),
        link_forces_(model_.links().size(), {Vec3::Zero(), Vec3::Zero()}),
        reactions_(link_forces_),
        velocities_before_(link_forces_.size(), Vec3::Zero()),
        accelerations_(velocities_before_),
        joint_torques_(link_forces_.size(), Vec3::Zero()),
        arms_(link_forces_.size(), Vec3::Zero()),
        rotations_(link_forces_.size()),
        joint_feedback_(link_forces_.size()),
        contact_feedback_(kMostContacts) {
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      if (model_.links()[i].joint) dJointSetFeedback(model_.links()[i].joint, &joint_feedback_[i]);
    }
    for (const auto& body : scene_->free_bodies) waiting_.push_back(body.waiting);
    link_waits_.assign(model_.links().size(), false);
    contacts_.reserve(256);
    touches_.reserve(256);
    contact_pairs_.reserve(256);
    prescribe(0);
    model_.set_state(q_, v_);
    settle();
    update_waiting();
  }
  ~OdeEngine() override { dJointGroupDestroy(contact_group_); }

  std::string name() const override { return "ode"; }
  const CompiledScene& scene() const override { return *scene_; }
  double time() const override { return time_; }
  std::span<const double> q() const override { return q_; }
  std::span<const double> v() const override { return v_; }

  void set_state(std::span<const double> q, std::span<const double> v) override {
    assert(q.size() == q_.size() && v.size() == v_.size());
    use_ode_in_this_thread();
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    prescribe(time_);
    if (!everything_reasonable()) return;  // the next step will say so
    model_.set_state(q_, v_);
    settle();
  }

  void place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                       const Vec3& angular_velocity) override {
    use_ode_in_this_thread();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const FreeBodySlot& slot = scene_->free_bodies[i];
      if (slot.body != body) continue;
      waiting_[i] = false;
      const Quat unit = rotation.normalized();
      Eigen::Map<Vec3>{q_.data() + slot.first_q} = position;
      quat_to_wxyz(unit, q_.data() + slot.first_q + 3);
      Eigen::Map<Vec3>{v_.data() + slot.first_v} = velocity;
      Eigen::Map<Vec3>{v_.data() + slot.first_v + 3} = unit.conjugate() * angular_velocity;
      update_waiting();
      if (!everything_reasonable()) return;  // the next step will say so
      const int index = model_.link_of(body);
      const OdeLink& link = model_.links()[static_cast<std::size_t>(index)];
      const Vec3 com = position + unit * link.com, v = velocity + angular_velocity.cross(unit * link.com);
      const dQuaternion turn = {unit.w(), unit.x(), unit.y(), unit.z()};
      dBodySetPosition(link.body, com.x(), com.y(), com.z());
      dBodySetQuaternion(link.body, turn);
      dBodySetLinearVel(link.body, v.x(), v.y(), v.z());
      dBodySetAngularVel(link.body, angular_velocity.x(), angular_velocity.y(), angular_velocity.z());
      settle();
      return;
    }
    throw InputError("place_free_body", "body " + std::to_string(body), "a free body of the scene");
  }

  Vec3 body_position(int body) const override { return model_.position(body); }
  Quat body_rotation(int body) const override { return model_.rotation(body); }
  Vec3 body_velocity_at(int body, const Vec3& world_point) const override {
    return model_.velocity_at(model_.link_of(body), world_point);
  }

  std::span<double> joint_forces() override { return forces_; }
  void apply_force(int body, const Vec3& force, const Vec3& world_point) override {
    const int link = model_.link_of(body);
    if (link >= 0) push(link, force, (world_point - model_.link_position(link)).cross(force));
  }
  void apply_torque(int body, const Vec3& torque) override {
    const int link = model_.link_of(body);
    if (link >= 0) push(link, Vec3::Zero(), torque);
  }

  void close_grip(int grip, const Vec3& on_hand, const Vec3& on_object) override {
    use_ode_in_this_thread();
    grips_.close(grip, on_hand, on_object);
  }
  void open_grip(int grip) override {
    use_ode_in_this_thread();
    grips_.open(grip);
  }

  double timestep() const override { return m_->opt.timestep; }

  void step() override {
    use_ode_in_this_thread();
    dJointGroupEmpty(contact_group_);
    contacts_.clear();
    if (!everything_reasonable() || !advance()) {
      time_ += timestep();
      contacts_.clear();
      std::fill(v_.begin(), v_.end(), std::nan(""));
    }
    std::fill(forces_.begin(), forces_.end(), 0.0);
    std::fill(link_forces_.begin(), link_forces_.end(), Wrench{Vec3::Zero(), Vec3::Zero()});
  }

  std::span<const Contact> contacts() override { return contacts_; }

  Wrench joint_reaction(int body) override {
    if (m_->body_weldid[body] != body || model_.link_of(body) < 0) return {Vec3::Zero(), Vec3::Zero()};
    return reactions_[static_cast<std::size_t>(model_.link_of(body))];
  }

  Vec3 body_acceleration(int body) override {
    const int link = model_.link_of(body);
    return link < 0 ? Vec3::Zero() : accelerations_[static_cast<std::size_t>(link)];
  }

  Snapshot save() const override {
    Snapshot snapshot;
    auto& values = snapshot.values;
    const auto append = [&](const auto* begin, std::size_t count) {
      values.insert(values.end(), begin, begin + count);
    };
    values.push_back(time_);
    append(q_.data(), q_.size());
    append(v_.data(), v_.size());
    for (const bool waits : waiting_) values.push_back(waits);
    for (std::size_t i = 0; i < reactions_.size(); ++i) {
      const dBodyID body = model_.links()[i].body;
      append(dBodyGetPosition(body), 3);
      append(rotations_[i].data(), 4);
      append(dBodyGetLinearVel(body), 3);
      append(dBodyGetAngularVel(body), 3);
      append(reactions_[i].force.data(), 3);
      append(reactions_[i].torque.data(), 3);
      append(accelerations_[i].data(), 3);
    }
    values.push_back(static_cast<double>(contacts_.size()));
    for (const Contact& contact : contacts_) {
      values.push_back(contact.body1);
      values.push_back(contact.body2);
      append(contact.point.data(), 3);
      append(contact.normal.data(), 3);
      append(contact.force.data(), 3);
      values.push_back(contact.depth);
      values.push_back(contact.grip);
    }
    springs_.save(values);
    grips_.save(values);
    return snapshot;
  }

  void restore(const Snapshot& snapshot) override {
    use_ode_in_this_thread();
    const double* from = snapshot.values.data();
    const auto take = [&](double* to, std::size_t count) {
      std::copy_n(from, count, to);
      from += count;
    };
    time_ = *from++;
    take(q_.data(), q_.size());
    take(v_.data(), v_.size());
    for (auto& waits : waiting_) waits = *from++ != 0;
    update_waiting();
    for (std::size_t i = 0; i < reactions_.size(); ++i) {
      const dBodyID body = model_.links()[i].body;
      dBodySetPosition(body, from[0], from[1], from[2]);
      std::copy_n(from + 3, 4, rotations_[i].data());
      dBodySetQuaternion(body, rotations_[i].data());
      dBodySetLinearVel(body, from[7], from[8], from[9]);
      dBodySetAngularVel(body, from[10], from[11], from[12]);
      from += 13;
      take(reactions_[i].force.data(), 3);
      take(reactions_[i].torque.data(), 3);
      take(accelerations_[i].data(), 3);
    }
    contacts_.resize(static_cast<std::size_t>(*from++));
    for (Contact& contact : contacts_) {
      contact.body1 = static_cast<int>(*from++);
      contact.body2 = static_cast<int>(*from++);
      take(contact.point.data(), 3);
      take(contact.normal.data(), 3);
      take(contact.force.data(), 3);
      contact.depth = *from++;
      contact.grip = static_cast<int>(*from++);
    }
    from = grips_.restore(springs_.restore(from));
    assert(from == snapshot.values.data() + snapshot.values.size());
    std::fill(forces_.begin(), forces_.end(), 0.0);
    std::fill(link_forces_.begin(), link_forces_.end(), Wrench{Vec3::Zero(), Vec3::Zero()});
  }

 private:
  void push(int link, const Vec3& force, const Vec3& torque) {
    link_forces_[static_cast<std::size_t>(link)].force += force;
    link_forces_[static_cast<std::size_t>(link)].torque += torque;
  }

  // ODE checks its numbers by ending the process, and on some its solver never ends: it is not given them.
  bool everything_reasonable() const {
    double sum = 0;  // any infinity or NaN survives in it
    for (const double x : q_) sum += std::abs(x);
    for (const double x : v_) sum += std::abs(x);
    for (const double x : forces_) sum += std::abs(x);
    for (const Wrench& wrench : link_forces_)
      sum += wrench.force.cwiseAbs().sum() + wrench.torque.cwiseAbs().sum();
    return sum < kBeyondReason;
  }

  bool bodies_reasonable() const {
    double sum = 0;
    for (const OdeLink& link : model_.links()) {
      for (const double* values : {dBodyGetPosition(link.body), dBodyGetLinearVel(link.body),
                                   dBodyGetAngularVel(link.body), dBodyGetQuaternion(link.body)})
        sum += std::abs(values[0]) + std::abs(values[1]) + std::abs(values[2]);
    }
    return sum < kBeyondReason;
  }

  // A step of ODE; false when it comes to nothing that could be gone on from.
  bool advance() {
    try {
      add_passive_forces();
      apply_joint_forces();
      apply_link_forces();
      drive_platforms();
      find_contacts();
      grips_.prepare();
      for (std::size_t i = 0; i < velocities_before_.size(); ++i) {
        const double* velocity = dBodyGetLinearVel(model_.links()[i].body);
        velocities_before_[i] = Vec3(velocity[0], velocity[1], velocity[2]);
      }
      dWorldStep(model_.world(), timestep());
    } catch (const RunError&) {  // one of ODE's own checks
      return false;
    }
    if (!bodies_reasonable()) return false;
    time_ += timestep();
    for (std::size_t i = 0; i < velocities_before_.size(); ++i) {
      const double* velocity = dBodyGetLinearVel(model_.links()[i].body);
      accelerations_[i] = (Vec3(velocity[0], velocity[1], velocity[2]) - velocities_before_[i]) / timestep();
    }
    collect_contacts();
    grips_.collect(contacts_);
    collect_reactions();
    prescribe(time_);
    put_platforms();
    settle();
    model_.read_state(q_, v_);
    return true;
  }

  // --- before the step -------------------------------------------------------------------------------------

  // Springs and dampers of the joints, and limits where ODE's joint has none, added to the forces asked for.
  // Damping is divided by (1 + h d / I), as an implicit step on the link's own inertia would, so that it
  // cannot turn the motion round; a limit is as stiff as that inertia allows.
  void add_passive_forces() {
    std::copy(forces_.begin(), forces_.end(), total_.begin());
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      const OdeLink& link = model_.links()[i];
      if (!link.joint) continue;
      if (link.type == OdeLink::Type::ball) {
        add_ball_forces(link);
      } else {
        add_axis_forces(link, model_.link_rotation(static_cast<int>(i)));
      }
    }
  }

  // The torque of a limit on an axis of that inertia, overstepped by `over` at `rate`: it never pulls
  // inwards.
  double limit_torque(double inertia, double over, double rate) const {
    const double h = timestep();
    return std::max(0.0, inertia * (0.1 / (h * h) * over + 0.3 / h * rate));
  }

  void add_ball_forces(const OdeLink& link) {
    const int j = link.first_joint, dof = m_->jnt_dofadr[j];
    const Vec3 turned = log_map(quat_from_wxyz(q_.data() + m_->jnt_qposadr[j]));
    const Eigen::Map<const Vec3> rate(v_.data() + dof);
    Eigen::Map<Vec3> force(total_.data() + dof);
    const double d = m_->dof_damping[dof];
    force -= m_->jnt_stiffness[j] * turned + d / (1 + timestep() * d / link.least_inertia) * rate;
    const double over = turned.norm() - m_->jnt_range[2 * j + 1];
    if (m_->jnt_limited[j] && over > 0) {
      const Vec3 axis = turned.normalized();  // the same in the link's and the parent's axes
      force -= limit_torque(axis.dot(link.joint_inertia * axis), over, axis.dot(rate)) * axis;
    }
  }

  void add_axis_forces(const OdeLink& link, const Quat& turn) {
    const Mat3 axes = link.type == OdeLink::Type::hinges ? model_.hinge_axes(link, q_) : Mat3(Mat3::Zero());
    for (int i = 0; i < link.joints; ++i) {
      const int j = link.first_joint + i, dof = m_->jnt_dofadr[j];
      const double value = q_[static_cast<std::size_t>(m_->jnt_qposadr[j])],
                   rate = v_[static_cast<std::size_t>(dof)];
      double& force = total_[static_cast<std::size_t>(dof)];
      const Vec3 axis = turn.conjugate() * axes.col(i);
      const double inertia =
          link.type == OdeLink::Type::hinges ? axis.dot(link.joint_inertia * axis) : link.mass;
      const double d = m_->dof_damping[dof];
      force -= m_->jnt_stiffness[j] * (value - m_->qpos_spring[m_->jnt_qposadr[j]]) +
               d / (1 + timestep() * d / inertia) * rate;
      if (!link.own_limits || !m_->jnt_limited[j]) continue;
      const double below = m_->jnt_range[2 * j] - value, above = value - m_->jnt_range[2 * j + 1];
      if (below > 0) force += limit_torque(inertia, below, -rate);
      if (above > 0) force -= limit_torque(inertia, above, rate);
    }
  }

  void apply_joint_forces() {
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      const OdeLink& link = model_.links()[i];
      const int index = static_cast<int>(i);
      const double* Q = total_.data() + m_->jnt_dofadr[link.first_joint];
      const Quat turn = model_.link_rotation(index);
      arms_[i] = model_.link_position(index) - model_.world_anchor(index);
      joint_torques_[i].setZero();
      switch (link.type) {
        case OdeLink::Type::free: {  // the force acts at the body's origin
          const Vec3 force(Q[0], Q[1], Q[2]);
          push(index, force, turn * Vec3(Q[3], Q[4], Q[5]) - (turn * link.com).cross(force));
          break;
        }
        case OdeLink::Type::ball:
          joint_torques_[i] = turn * Vec3(Q[0], Q[1], Q[2]);
          break;
        case OdeLink::Type::hinges:
          joint_torques_[i] = model_.hinge_torque(link, q_, Q);
          break;
        case OdeLink::Type::slide: {
          const Vec3 axis = turn * Eigen::Map<const Vec3>(m_->jnt_axis + 3 * link.first_joint);
          const Vec3 force = Q[0] * axis;
          push(index, force, Vec3::Zero());
          if (link.parent >= 0) {
            push(link.parent, -force,
                 (model_.link_position(index) - model_.link_position(link.parent)).cross(-force));
          }
          break;
        }
        case OdeLink::Type::platform:
          break;
      }
      if (!joint_torques_[i].isZero(0)) {
        push(index, Vec3::Zero(), joint_torques_[i]);
        if (link.parent >= 0) push(link.parent, Vec3::Zero(), -joint_torques_[i]);
      }
    }
  }

  void apply_link_forces() {
    const Vec3 gravity(m_->opt.gravity[0], m_->opt.gravity[1], m_->opt.gravity[2]);
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      const OdeLink& link = model_.links()[i];
      const Vec3 force = link_forces_[i].force - m_->body_gravcomp[link.scene_body] * link.mass * gravity;
      const Vec3& torque = link_forces_[i].torque;
      dBodyAddForce(link.body, force.x(), force.y(), force.z());
      dBodyAddTorque(link.body, torque.x(), torque.y(), torque.z());
    }
  }

  // The velocity that brings a platform to where it must be at the end of the step.
  void drive_platforms() {
    const double h = timestep();
    for (const PlatformSlot& platform : scene_->platforms) {
      const Vec3 v = (platform.spec.offset(time_ + h) - platform.spec.offset(time_)) / h;
      dBodySetLinearVel(link_body(platform.body), v.x(), v.y(), v.z());
    }
  }

  void find_contacts() {
    contact_pairs_.clear();
    touches_.clear();
    const bool springs = scene_->contact.mode == "springs";
    std::array<dContact, kMostContactsOfAPair> found;
    for (std::size_t p = 0; p < model_.pairs().size(); ++p) {
      const OdePair& pair = model_.pairs()[p];
      const OdeGeom& first = model_.geoms()[static_cast<std::size_t>(pair.first)];
      const OdeGeom& second = model_.geoms()[static_cast<std::size_t>(pair.second)];
      if (waits(first.link) || waits(second.link) || too_far(first, second)) continue;
      const int n = dCollide(first.id, second.id, kMostContactsOfAPair, &found[0].geom, sizeof(dContact));
      for (int i = 0; i < n && contact_pairs_.size() < kMostContacts; ++i) {
        dContact& contact = found[static_cast<std::size_t>(i)];
        if (springs) {
          touches_.push_back({static_cast<int>(p), ode_vec(contact.geom.pos), ode_vec(contact.geom.normal),
                              contact.geom.depth});
        } else {
          add_contact_joint(contact, static_cast<int>(p), pair, first.link, second.link);
        }
      }
    }
    if (springs) springs_.apply(touches_, timestep(), contacts_);
  }

  void add_contact_joint(dContact& contact, int index, const OdePair& pair, int first, int second) {
    contact.surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
    contact.surface.mu = pair.friction;
    // A spring-damper of the given time constant (critically damped), as ODE's ERP and CFM (ODE
    // manual, 3.8.2).
    const double h = timestep(), tau = pair.time_constant;
    const double stiffness = kContactMass / (tau * tau), damping = 2 * kContactMass / tau;
    contact.surface.soft_erp = h * stiffness / (h * stiffness + damping);
    contact.surface.soft_cfm = 1 / (h * stiffness + damping);
    const Vec3 point = ode_vec(contact.geom.pos), normal = ode_vec(contact.geom.normal);
    Vec3 sliding = model_.velocity_at(first, point) - model_.velocity_at(second, point);
    sliding -= sliding.dot(normal) * normal;
    if (sliding.norm() >
        kSlidingSpeed) {  // one face of the pyramid across the motion: sliding friction as of a cone
      contact.surface.mode |= dContactFDir1;
      sliding.normalize();
      std::copy_n(sliding.data(), 3, contact.fdir1);
    }
    const dJointID joint = dJointCreateContact(model_.world(), contact_group_, &contact);
    dJointAttach(joint, model_.links()[static_cast<std::size_t>(first)].body,
                 second < 0 ? nullptr : model_.links()[static_cast<std::size_t>(second)].body);
    dJointSetFeedback(joint, &contact_feedback_[contact_pairs_.size()]);
    contact_pairs_.push_back({index, point, normal, contact.geom.depth});
  }

  bool waits(int link) const { return link >= 0 && link_waits_[static_cast<std::size_t>(link)]; }

  static bool too_far(const OdeGeom& first, const OdeGeom& second) {
    const Vec3 centre = ode_vec(dGeomGetPosition(first.id));
    if (std::isinf(second.radius)) {
      return dGeomPlanePointDepth(second.id, centre.x(), centre.y(), centre.z()) < -first.radius;
    }
    const double reach = first.radius + second.radius;
    return (centre - ode_vec(dGeomGetPosition(second.id))).squaredNorm() > reach * reach;
  }

  // --- after the step --------------------------------------------------------------------------------------

  void collect_contacts() {
    for (std::size_t i = 0; i < contact_pairs_.size(); ++i) {
      const OdeSprings::Touch& touch = contact_pairs_[i];
      const OdePair& pair = model_.pairs()[static_cast<std::size_t>(touch.pair)];
      contacts_.push_back({model_.geoms()[static_cast<std::size_t>(pair.second)].scene_body,
                           model_.geoms()[static_cast<std::size_t>(pair.first)].scene_body, touch.point,
                           touch.normal, ode_vec(contact_feedback_[i].f1), touch.depth});
    }
  }

  void collect_reactions() {
    for (std::size_t i = 0; i < reactions_.size(); ++i) {
      const OdeLink& link = model_.links()[i];
      if (!link.joint) continue;
      const Vec3 force = ode_vec(joint_feedback_[i].f1);
      reactions_[i].force = force;  // a slide's own force included below
      reactions_[i].torque = ode_vec(joint_feedback_[i].t1) + arms_[i].cross(force) + joint_torques_[i];
      if (link.type == OdeLink::Type::slide) {
        const Vec3 axis = model_.link_rotation(static_cast<int>(i)) *
                          Eigen::Map<const Vec3>(m_->jnt_axis + 3 * link.first_joint);
        const Vec3 applied = total_[static_cast<std::size_t>(m_->jnt_dofadr[link.first_joint])] * axis;
        reactions_[i].force += applied;
        reactions_[i].torque += arms_[i].cross(applied);
      }
    }
  }

  // Platforms are where their motion says; bodies that wait are where they were put.
  void prescribe(double t) {
    for (const PlatformSlot& platform : scene_->platforms) {
      Eigen::Map<Vec3>{q_.data() + platform.first_q} = platform.spec.offset(t);
      Eigen::Map<Vec3>{v_.data() + platform.first_v} = platform.spec.velocity(t);
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (!waiting_[i]) continue;
      const FreeBodySlot& slot = scene_->free_bodies[i];
      std::copy_n(m_->qpos0 + slot.first_q, 7, q_.data() + slot.first_q);
      std::fill_n(v_.data() + slot.first_v, 6, 0.0);
    }
  }

  void put_platforms() {
    for (const PlatformSlot& platform : scene_->platforms) {
      const Vec3 offset = platform.spec.offset(time_), v = platform.spec.velocity(time_);
      const Eigen::Map<const Vec3> rest(m_->body_pos + 3 * platform.body);
      const dBodyID body = link_body(platform.body);
      dBodySetPosition(body, rest.x() + offset.x(), rest.y() + offset.y(), rest.z() + offset.z());
      dBodySetLinearVel(body, v.x(), v.y(), v.z());
      dBodySetAngularVel(body, 0, 0, 0);
    }
  }

  // dBodySetQuaternion normalises, and doing so again may change the last bits. So every state is one that
  // was set from remembered numbers: restore() sets the same ones.
  void settle() {
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
      const dBodyID body = model_.links()[i].body;
      std::copy_n(dBodyGetQuaternion(body), 4, rotations_[i].data());
      dBodySetQuaternion(body, rotations_[i].data());
    }
  }

  // A body that waits is switched off: it neither falls nor collides.
  void update_waiting() {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const int body = scene_->free_bodies[i].body;
      link_waits_[static_cast<std::size_t>(model_.link_of(body))] = waiting_[i];
      if (waiting_[i]) {
        dBodyDisable(link_body(body));
      } else {
        dBodyEnable(link_body(body));
      }
    }
  }

  dBodyID link_body(int body) const {
    return model_.links()[static_cast<std::size_t>(model_.link_of(body))].body;
  }

  std::shared_ptr<const CompiledScene> scene_;
  OdeModel model_;
  const mjModel* m_;
  OdeSprings springs_;
  OdeGrips grips_;
  dJointGroupID contact_group_;
  double time_ = 0;

  std::vector<double> q_, v_;
  std::vector<char> waiting_;     // per free body
  std::vector<char> link_waits_;  // per link

  std::vector<double> forces_, total_;  // nv: asked for; with passive forces
  std::vector<Wrench> link_forces_;     // per link, at the centre of mass: of the next step

  std::vector<Wrench> reactions_;                        // per link, at the joint's anchor
  std::vector<Vec3> velocities_before_, accelerations_;  // per link, of its centre of mass: m/s, m/s^2
  std::vector<Vec3> joint_torques_;                      // Nm, on each link, applied at its joint
  std::vector<Vec3> arms_;  // m, from the joint's anchor to the centre of mass, at the step's start
  std::vector<std::array<double, 4>> rotations_;  // per link, as last given to ODE
  std::vector<dJointFeedback> joint_feedback_, contact_feedback_;
  std::vector<OdeSprings::Touch> touches_, contact_pairs_;
  std::vector<Contact> contacts_;
};

}  // namespace

std::unique_ptr<Engine> make_ode_engine(std::shared_ptr<const CompiledScene> scene) {
  return std::make_unique<OdeEngine>(std::move(scene));
}

}  // namespace stunt
