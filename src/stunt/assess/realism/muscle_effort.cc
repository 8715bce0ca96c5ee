#include "stunt/assess/realism/muscle_effort.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace stunt {
namespace {

constexpr double kReserveTorque = 1;  // Nm: as dear as a muscle at its full strength
constexpr double kHeld = 1000;        // Nm: so strong are bones that it costs next to nothing

std::vector<Muscle> joined(std::vector<Muscle> one, const std::vector<Muscle>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace

MuscleJudge::MuscleJudge(const ActorPtr& actor, const BodyMuscles& muscles, double overload)
    : root_(actor->root_dofs()),
      held_(muscles.held),
      muscles_(static_cast<int>(muscles.muscles.size())),
      sharing_(actor->nv() - root_, overload, kReserveTorque) {
  const std::vector<Muscle> pulling = joined(muscles.muscles, muscles.ligaments);
  paths_.emplace(actor, pulling);
  for (const Muscle& muscle : pulling) strength_.push_back(muscle.max_force);
  all_ = std::accumulate(strength_.begin(), strength_.begin() + muscles_, 0.0);
  std::vector<int> first{0};
  std::vector<LoadSharing::Entry> entries;
  const auto begin = [&](std::size_t puller) {
    while (first.size() <= puller) first.push_back(static_cast<int>(entries.size()));
  };
  for (const auto& crossing : paths_->crossings()) {  // by muscle
    begin(static_cast<std::size_t>(crossing.muscle));
    for (int k = 0; k < crossing.count; ++k) entries.push_back({crossing.dof + k - root_, 0});
  }
  begin(strength_.size());
  for (const HeldAxis& held : held_) {  // once for each direction
    const int dof = actor->model().body_dofadr[held.body + 1],
              count = actor->model().body_dofnum[held.body + 1];
    for (int sign = 0; sign < 2; ++sign) {
      for (int k = 0; k < count; ++k) entries.push_back({dof + k - root_, 0});
      begin(first.size());
    }
  }
  sharing_.set_pullers(std::move(first), std::move(entries));
}

MuscleJudge::MuscleJudge(MuscleModelPtr model, double overload)
    : root_(model->actor->root_dofs()),
      muscles_(static_cast<int>(model->muscles.size())),
      model_(std::move(model)),
      sharing_(model_->actor->nv() - root_, overload, kReserveTorque) {
  for (const ModelMuscle& muscle : model_->muscles) strength_.push_back(muscle.max_force);
  all_ = std::accumulate(strength_.begin(), strength_.end(), 0.0);
}

// Which joints a muscle moves may change with the pose, where it wraps.
void MuscleJudge::set_model_arms(ActorDynamics& dynamics) {
  std::vector<int> first;
  std::vector<LoadSharing::Entry> entries;
  for_each_arm(*model_, dynamics, [&](int muscle, int dof, double arm) {
    while (static_cast<int>(first.size()) <= muscle) first.push_back(static_cast<int>(entries.size()));
    if (dof >= root_) entries.push_back({dof - root_, -strength_[static_cast<std::size_t>(muscle)] * arm});
  });
  first.resize(strength_.size() + 1, static_cast<int>(entries.size()));
  sharing_.set_pullers(std::move(first), std::move(entries));
}

void MuscleJudge::set_arms(ActorDynamics& dynamics) {
  dynamics.com();  // so that positions and axes of all joints are there
  paths_->update(dynamics.data());
  auto entry = sharing_.entries().begin();
  for (const auto& crossing : paths_->crossings()) {
    const double strength = strength_[static_cast<std::size_t>(crossing.muscle)];
    for (int k = 0; k < crossing.count; ++k)
      (entry++)->value = -strength * paths_->arms()[static_cast<std::size_t>(crossing.first + k)];
  }
  const mjModel& model = dynamics.actor().model();
  for (const HeldAxis& held : held_) {
    const Vec3 axis = dynamics.body_rotation(held.body) * held.axis;
    for (const double sign : {1.0, -1.0}) {
      for (int k = 0; k < model.body_dofnum[held.body + 1]; ++k) {
        const double* dof = dynamics.data().cdof + 6 * (model.body_dofadr[held.body + 1] + k);
        (entry++)->value = sign * kHeld * axis.dot(vec3(dof));
      }
    }
  }
}

MuscleEffort MuscleJudge::judge(ActorDynamics& dynamics, const VecX& torque) {
  if (model_)
    set_model_arms(dynamics);
  else
    set_arms(dynamics);
  sharing_.solve(torque.tail(torque.size() - root_));
  MuscleEffort out;
  double beyond = 0;
  for (int i = 0; i < muscles_; ++i) {
    const double use = sharing_.share()[i], strength = strength_[static_cast<std::size_t>(i)];
    out.use.push_back(static_cast<float>(use));
    beyond += std::max(0.0, use - 1) * strength;
    out.effort += use * use * strength / all_;
  }
  out.reserve.assign(sharing_.reserve().begin(), sharing_.reserve().end());
  out.reserve_part = sharing_.reserve().cwiseAbs().sum() / kReserveArm / all_;
  out.lambda = beyond / all_ + out.reserve_part;
  return out;
}

}  // namespace stunt
