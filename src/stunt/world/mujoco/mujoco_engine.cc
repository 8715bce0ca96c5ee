#include "stunt/world/mujoco/mujoco_engine.h"

#include <algorithm>
#include <cassert>

#include "stunt/actor/mujoco_messages.h"
#include "stunt/core/error.h"
#include "stunt/world/mujoco/mujoco_state.h"

namespace stunt {
namespace {

// What a step starts from, besides the inputs.
constexpr int kState = mjSTATE_FULLPHYSICS | mjSTATE_WARMSTART;

class MujocoEngine final : public MujocoState {
 public:
  explicit MujocoEngine(std::shared_ptr<const CompiledScene> scene)
      : MujocoState(std::move(scene)),
        before_(mj_stateSize(m_, kState), 0.0),
        velocity_before_(m_->nv, 0.0),
        grips_(scene_->grips.size()),
        grips_before_(grips_) {
    contacts_.reserve(256);
    if (grips_.empty()) return;
    own_.reset(mj_copyModel(nullptr, m_));  // where a grip holds is part of the model
    m_ = own_.get();
  }

  std::string name() const override { return "mujoco"; }

  void close_grip(int grip, const Vec3& on_hand, const Vec3& on_object) override {
    grips_[static_cast<std::size_t>(grip)] = {true, on_hand, on_object};
    set_grips(grips_);
  }
  void open_grip(int grip) override {
    grips_[static_cast<std::size_t>(grip)].closed = false;
    set_grips(grips_);
  }

  void step() override {
    grips_before_ = grips_;
    mj_getState(m_, data_.get(), before_.data(), kState);
    std::copy_n(data_->qvel, m_->nv, velocity_before_.begin());
    std::copy(forces_.begin(), forces_.end(), data_->qfrc_applied);
    std::copy(body_forces_.begin(), body_forces_.end(), data_->xfrc_applied);
    drive_platforms();
    mj_step(m_, data_.get());
    prescribe(time());

    forget_inputs();
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
    if (!stepped_ || !has_reaction(body)) return {Vec3::Zero(), Vec3::Zero()};
    need_reactions();
    return reaction_at_joint(body);
  }

  Vec3 body_acceleration(int body) override {
    if (!stepped_ || m_->body_weldid[body] == 0) return Vec3::Zero();
    need_reactions();
    return acceleration_of(body);
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
    append_grips(grips_, values);
    append_grips(grips_before_, values);
    return snapshot;
  }

  void restore(const Snapshot& snapshot) override {
    const double* from = snapshot.values.data();
    const auto take = [&](auto* to, auto count) {
      std::copy_n(from, count, to);
      from += count;
    };
    mj_setState(m_, data_.get(), from, kState);
    from += before_.size();
    take(before_.data(), before_.size());
    take(velocity_before_.data(), velocity_before_.size());
    take(data_->qfrc_applied, m_->nv);
    take(data_->xfrc_applied, 6 * m_->nbody);
    for (std::size_t i = 0; i < waiting_.size(); ++i) waiting_[i] = *from++ != 0;
    stepped_ = *from++ != 0;
    from = take_grips(take_grips(from, grips_), grips_before_);
    assert(from == snapshot.values.data() + snapshot.values.size());
    set_grips(grips_);
    forget_inputs();
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
    for (std::size_t i = 0; i < grips_before_.size(); ++i) {
      if (grips_before_[i].closed) add_grip_contact(static_cast<int>(i));
    }
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

  // The three rows of a point that is held: the force on the hand in world axes.
  void add_grip_contact(int index) {
    const GripSlot& grip = scene_->grips[static_cast<std::size_t>(index)];
    for (int row = 0; row < data_->ne; ++row) {
      if (data_->efc_type[row] != mjCNSTR_EQUALITY || data_->efc_id[row] != grip.constraint) continue;
      const Vec3 force = vec3(data_->efc_force + row);
      const Vec3 point =
          vec3(data_->xpos + 3 * grip.object) + quat_from_wxyz(data_->xquat + 4 * grip.object) *
                                                    grips_before_[static_cast<std::size_t>(index)].on_object;
      contacts_.push_back({grip.object, grip.hand, point,
                           force.squaredNorm() > 0 ? Vec3(force.normalized()) : Vec3(Vec3::UnitZ()), force, 0,
                           index});
      return;
    }
  }

  void set_grips(const std::vector<GripState>& grips) {
    for (std::size_t i = 0; i < grips.size(); ++i) {
      const int constraint = scene_->grips[i].constraint;
      data_->eq_active[constraint] = grips[i].closed;
      Eigen::Map<Vec3>{own_->eq_data + mjNEQDATA* constraint} = grips[i].on_hand;
      Eigen::Map<Vec3>{own_->eq_data + mjNEQDATA* constraint + 3} = grips[i].on_object;
    }
  }

  // After restore() data_ holds the state but not what the last step computed on its way: do that part again.
  void refresh_results() {
    if (!results_stale_) return;
    std::vector<double> now(before_.size());
    mj_getState(m_, data_.get(), now.data(), kState);
    mj_setState(m_, data_.get(), before_.data(), kState);
    set_grips(grips_before_);
    mj_forward(m_, data_.get());
    set_grips(grips_);
    mj_setState(m_, data_.get(), now.data(), kState);
    results_stale_ = false;
  }

  std::vector<double> before_, velocity_before_;  // what the last step started from
  std::vector<GripState> grips_, grips_before_;   // now, and in the last step
  ModelPtr own_;                                  // the model, where there are grips
  std::vector<Contact> contacts_;
  bool contacts_known_ = false, reactions_known_ = false;
  bool results_stale_ = false;  // data_ lacks what the last step computed
  bool stepped_ = false;        // there was a last step
};

}  // namespace

std::unique_ptr<Engine> make_mujoco_engine(std::shared_ptr<const CompiledScene> scene) {
  if (scene->contact.mode != "constraint") {
    throw InputError("contact.mode", scene->contact.mode + " with engine mujoco", "engine ode or penalty");
  }
  hook_mujoco_messages();
  return std::make_unique<MujocoEngine>(std::move(scene));
}

}  // namespace stunt
