#include "stunt/assess/realism/muscle_effort.h"

#include <algorithm>
#include <cmath>
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
      pulling_(joined(muscles.muscles, muscles.ligaments)),
      held_(muscles.held),
      muscles_(static_cast<int>(muscles.muscles.size())),
      paths_(actor, pulling_),
      sharing_(actor->nv() - root_, overload, kReserveTorque) {
  for (const Muscle& muscle : muscles.muscles) all_ += muscle.max_force;
  std::vector<int> first{0};
  std::vector<LoadSharing::Entry> entries;
  const auto begin = [&](std::size_t puller) {
    while (first.size() <= puller) first.push_back(static_cast<int>(entries.size()));
  };
  for (const auto& crossing : paths_.crossings()) {  // by muscle
    begin(static_cast<std::size_t>(crossing.muscle));
    for (int k = 0; k < crossing.count; ++k) entries.push_back({crossing.dof + k - root_, 0});
  }
  begin(pulling_.size());
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

MuscleEffort MuscleJudge::judge(ActorDynamics& dynamics, const VecX& torque) {
  dynamics.com();  // so that positions and axes of all joints are there
  paths_.update(dynamics.data());
  auto entry = sharing_.entries().begin();
  for (const auto& crossing : paths_.crossings()) {
    const double strength = pulling_[static_cast<std::size_t>(crossing.muscle)].max_force;
    for (int k = 0; k < crossing.count; ++k)
      (entry++)->value = -strength * paths_.arms()[static_cast<std::size_t>(crossing.first + k)];
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
  sharing_.solve(torque.tail(torque.size() - root_));
  MuscleEffort out;
  double beyond = 0;
  for (int i = 0; i < muscles_; ++i) {
    const double use = sharing_.share()[i], strength = pulling_[static_cast<std::size_t>(i)].max_force;
    out.use.push_back(static_cast<float>(use));
    beyond += std::max(0.0, use - 1) * strength;
    out.effort += use * use * strength / all_;
  }
  out.reserve_part = sharing_.reserve().cwiseAbs().sum() / kReserveArm / all_;
  out.lambda = beyond / all_ + out.reserve_part;
  return out;
}

}  // namespace stunt
