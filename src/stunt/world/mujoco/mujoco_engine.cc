#include "stunt/world/mujoco/mujoco_engine.h"

#include <algorithm>
#include <cassert>

#include "stunt/actor/mujoco_messages.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

// What a step starts from, besides the inputs.
constexpr int kState = mjSTATE_FULLPHYSICS | mjSTATE_WARMSTART;

class MujocoEngine final : public Engine {
 public:
  explicit MujocoEngine(std::shared_ptr<const CompiledScene> scene)
      : scene_(std::move(scene)),
        m_(scene_->model.get()),
        data_(mj_makeData(m_)),
        view_(mj_makeData(m_)),
        forces_(m_->nv, 0.0),
        body_forces_(6 * m_->nbody, 0.0),
        before_(mj_stateSize(m_, kState), 0.0),
        velocity_before_(m_->nv, 0.0) {
    if (!data_ || !view_) throw RunError("not enough memory for the simulation");
    for (const auto& body : scene_->free_bodies) waiting_.push_back(body.waiting);
    contacts_.reserve(256);
    prescribe(0);
  }

  std::string name() const override { return "mujoco"; }
  const CompiledScene& scene() const override { return *scene_; }

  double time() const override { return data_->time; }
  std::span<const double> q() const override { return {data_->qpos, static_cast<std::size_t>(m_->nq)}; }
  std::span<const double> v() const override { return {data_->qvel, static_cast<std::size_t>(m_->nv)}; }

  void set_state(std::span<const double> q, std::span<const double> v) override {
    assert(std::ssize(q) == m_->nq && std::ssize(v) == m_->nv);
    std::copy(q.begin(), q.end(), data_->qpos);
    std::copy(v.begin(), v.end(), data_->qvel);
    prescribe(time());
    forget_view();
  }

  void place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                       const Vec3& angular_velocity) override {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const FreeBodySlot& slot = scene_->free_bodies[i];
      if (slot.body != body) continue;
      waiting_[i] = false;
      Eigen::Map<Vec3>{data_->qpos + slot.first_q} = position;
      quat_to_wxyz(rotation.normalized(), data_->qpos + slot.first_q + 3);
      Eigen::Map<Vec3>{data_->qvel + slot.first_v} = velocity;
      Eigen::Map<Vec3>{data_->qvel + slot.first_v + 3} = rotation.normalized().conjugate() * angular_velocity;
      forget_view();
      return;
    }
    throw InputError("place_free_body", "body " + std::to_string(body), "a free body of the scene");
  }

  Vec3 body_position(int body) const override {
    need_view_positions();
    return vec3(view_->xpos + 3 * body);
  }
  Quat body_rotation(int body) const override {
    need_view_positions();
    return quat_from_wxyz(view_->xquat + 4 * body);
  }
  Vec3 body_velocity_at(int body, const Vec3& world_point) const override {
    if (m_->body_weldid[body] == 0) return Vec3::Zero();
    need_view_velocities();
    // cvel is (angular, linear) about the centre of mass of the body's kinematic tree.
    const double* cvel = view_->cvel + 6 * body;
    return vec3(cvel + 3) +
           vec3(cvel).cross(world_point - vec3(view_->subtree_com + 3 * m_->body_rootid[body]));
  }

  std::span<double> joint_forces() override { return forces_; }
  void apply_force(int body, const Vec3& force, const Vec3& world_point) override {
    need_view_positions();
    apply(body, force, (world_point - vec3(view_->xipos + 3 * body)).cross(force));
  }
  void apply_torque(int body, const Vec3& torque) override { apply(body, Vec3::Zero(), torque); }

  double timestep() const override { return m_->opt.timestep; }

  void step() override {
    mj_getState(m_, data_.get(), before_.data(), kState);
    std::copy_n(data_->qvel, m_->nv, velocity_before_.begin());
    std::copy(forces_.begin(), forces_.end(), data_->qfrc_applied);
    std::copy(body_forces_.begin(), body_forces_.end(), data_->xfrc_applied);
    drive_platforms();
    mj_step(m_, data_.get());
    prescribe(time());

    std::fill(forces_.begin(), forces_.end(), 0.0);
    std::fill(body_forces_.begin(), body_forces_.end(), 0.0);
    forget_view();
    contacts_known_ = reactions_known_ = false;
    results_stale_ = false;
    stepped_ = true;
  }

  std::span<const Contact> contacts() override {
    if (!contacts_known_) {
      refresh_results();
      collect_contacts();
      contacts_known_ = true;
    }
    return contacts_;
  }

  Wrench joint_reaction(int body) override {
    Wrench wrench{Vec3::Zero(), Vec3::Zero()};
    if (!stepped_ || m_->body_jntnum[body] == 0 || m_->jnt_type[m_->body_jntadr[body]] == mjJNT_FREE)
      return wrench;
    need_reactions();
    // cfrc_int is (torque, force) about the centre of mass of the kinematic tree.
    const double* spatial = data_->cfrc_int + 6 * body;
    const Vec3 arm = vec3(data_->subtree_com + 3 * m_->body_rootid[body]) -
                     vec3(data_->xanchor + 3 * m_->body_jntadr[body]);
    wrench.force = vec3(spatial + 3);
    wrench.torque = vec3(spatial) + arm.cross(wrench.force);
    return wrench;
  }

  Vec3 body_acceleration(int body) override {
    if (!stepped_ || m_->body_weldid[body] == 0) return Vec3::Zero();
    need_reactions();
    double acceleration
        [6];  // rotation, translation; MuJoCo counts gravity as an acceleration of the world upwards
    mj_objectAcceleration(m_, data_.get(), mjOBJ_BODY, body, acceleration, 0);
    return vec3(acceleration + 3) + vec3(m_->opt.gravity);
  }

  // The state, and what the last step started from: the results of that step are recomputed from it when
  // asked for.
  Snapshot save() const override {
    Snapshot snapshot;
    auto& values = snapshot.values;
    const auto append = [&](const auto* begin, auto count) {
      values.insert(values.end(), begin, begin + count);
    };
    values.resize(before_.size());
    mj_getState(m_, data_.get(), values.data(), kState);
    append(before_.data(), before_.size());
    append(velocity_before_.data(), velocity_before_.size());
    append(data_->qfrc_applied, m_->nv);
    append(data_->xfrc_applied, 6 * m_->nbody);
    for (const bool waits : waiting_) values.push_back(waits);
    values.push_back(stepped_);
    return snapshot;
  }

  void restore(const Snapshot& snapshot) override {
    const double* from = snapshot.values.data();
    const auto take = [&](auto* to, auto count) {
      std::copy_n(from, count, to);
      from += count;
    };
    assert(snapshot.values.size() ==
           2 * before_.size() + 2 * forces_.size() + body_forces_.size() + waiting_.size() + 1);
    mj_setState(m_, data_.get(), from, kState);
    from += before_.size();
    take(before_.data(), before_.size());
    take(velocity_before_.data(), velocity_before_.size());
    take(data_->qfrc_applied, m_->nv);
    take(data_->xfrc_applied, 6 * m_->nbody);
    for (std::size_t i = 0; i < waiting_.size(); ++i) waiting_[i] = *from++ != 0;
    stepped_ = *from != 0;
    std::fill(forces_.begin(), forces_.end(), 0.0);
    std::fill(body_forces_.begin(), body_forces_.end(), 0.0);
    forget_view();
    contacts_known_ = reactions_known_ = false;
    results_stale_ = true;
  }

 private:
  // Joint forces and body accelerations of the last step. Everything in data_ is of the step's start, but for the
  // velocity, which mj_step has replaced.
  void need_reactions() {
    if (reactions_known_) return;
    refresh_results();
    std::swap_ranges(velocity_before_.begin(), velocity_before_.end(), data_->qvel);
    mj_rnePostConstraint(m_, data_.get());
    std::swap_ranges(velocity_before_.begin(), velocity_before_.end(), data_->qvel);
    reactions_known_ = true;
  }

  void apply(int body, const Vec3& force, const Vec3& torque) {
    Eigen::Map<Vec3>{&body_forces_[6 * body]} += force;
    Eigen::Map<Vec3>{&body_forces_[6 * body + 3]} += torque;
  }

  // Platforms are where their motion says; bodies that wait do not fall.
  void prescribe(double t) {
    for (const auto& platform : scene_->platforms) {
      Eigen::Map<Vec3>{data_->qpos + platform.first_q} = platform.spec.offset(t);
      Eigen::Map<Vec3>{data_->qvel + platform.first_v} = platform.spec.velocity(t);
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (!waiting_[i]) continue;
      const FreeBodySlot& slot = scene_->free_bodies[i];
      std::copy_n(m_->qpos0 + slot.first_q, 7, data_->qpos + slot.first_q);
      std::fill_n(data_->qvel + slot.first_v, 6, 0.0);
    }
  }

  // The force that gives a platform its prescribed acceleration, so that contacts meet it within the step.
  void drive_platforms() {
    const double h = m_->opt.timestep;
    for (const auto& platform : scene_->platforms) {
      const Vec3 acceleration = (platform.spec.velocity(time() + h) - platform.spec.velocity(time())) / h;
      Eigen::Map<Vec3>{data_->qfrc_applied + platform.first_v} = m_->body_mass[platform.body] * acceleration;
    }
  }

  void collect_contacts() {
    contacts_.clear();
    if (!stepped_) return;
    for (int i = 0; i < data_->ncon; ++i) {
      const mjContact& found = data_->contact[i];
      if (found.efc_address < 0) continue;
      double local[6];
      mj_contactForce(m_, data_.get(), i, local);
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> frame(found.frame);
      contacts_.push_back({m_->geom_bodyid[found.geom[0]], m_->geom_bodyid[found.geom[1]], vec3(found.pos),
                           frame.row(0).transpose(), frame.transpose() * vec3(local), -found.dist});
    }
  }

  // After restore() data_ holds the state but not what the last step computed on its way: do that part again.
  void refresh_results() {
    if (!results_stale_) return;
    std::vector<double> now(before_.size());
    mj_getState(m_, data_.get(), now.data(), kState);
    mj_setState(m_, data_.get(), before_.data(), kState);
    mj_forward(m_, data_.get());
    mj_setState(m_, data_.get(), now.data(), kState);
    results_stale_ = false;
  }

  // view_ holds the kinematics of the present state; data_ is left as the last step had it.
  void forget_view() { view_positions_ = view_velocities_ = false; }
  void need_view_positions() const {
    if (view_positions_) return;
    std::copy_n(data_->qpos, m_->nq, view_->qpos);
    mj_kinematics(m_, view_.get());
    view_positions_ = true;
  }
  void need_view_velocities() const {
    if (view_velocities_) return;
    need_view_positions();
    std::copy_n(data_->qvel, m_->nv, view_->qvel);
    mj_comPos(m_, view_.get());
    mj_comVel(m_, view_.get());
    view_velocities_ = true;
  }

  std::shared_ptr<const CompiledScene> scene_;
  const mjModel* m_;
  DataPtr data_, view_;
  std::vector<double> forces_,
      body_forces_;  // inputs of the next step: nv; 6 per body, at its centre of mass
  std::vector<double> before_, velocity_before_;  // what the last step started from
  std::vector<char> waiting_;                     // per free body
  std::vector<Contact> contacts_;
  mutable bool view_positions_ = false, view_velocities_ = false;
  bool contacts_known_ = false, reactions_known_ = false;
  bool results_stale_ = false;  // data_ lacks what the last step computed
  bool stepped_ = false;        // there was a last step
};

}  // namespace

std::unique_ptr<Engine> make_mujoco_engine(std::shared_ptr<const CompiledScene> scene) {
  if (scene->contact.mode != "constraint") {
    throw InputError("contact.mode", scene->contact.mode + " with engine mujoco",
                     "engine ode, which alone has it");
  }
  hook_mujoco_messages();
  return std::make_unique<MujocoEngine>(std::move(scene));
}

}  // namespace stunt
