// Characters that are simulated only where they are touched: a crowd costs what its motions cost to play.
#include <algorithm>

#include "stunt/core/easing.h"
#include "stunt/reference/staging/staging.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

constexpr double kBusy = 0.6;     // s that a touch keeps a character simulated
constexpr double kFades = 0.5;    // s in which the difference to the motion goes away once it is played again
constexpr double kNear = 0.1;     // rad, mean over joints: back in its motion
constexpr double kUpright = 0.1;  // rad
constexpr double kStill = 0.3;    // m/s, of the root against the motion's

}  // namespace

bool Simulation::play_on(std::size_t index) {
  Act& act = acts_[index];
  if (act.performer.spec.when == "always") return false;
  if (act.playing.simulated) {
    calm_down(index);
    if (act.playing.simulated) return false;
  }
  // Where it is to be at the end of this step.
  const double t = time() + scene_.timestep - act.clock_start;
  act.performer.followed->sample(t, act.target);
  const double faded = quintic_ease((t - act.playing.since) / kFades);
  const double before = quintic_ease((t - scene_.timestep - act.playing.since) / kFades);
  integrate(*act.slot.actor, act.target.q, act.playing.lag, 1 - faded, act.pose);
  act.target.v -= (faded - before) / scene_.timestep * act.playing.lag;
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  played_->play(static_cast<int>(index), {act.pose.data(), count(act.slot.nq)},
                {act.target.v.data(), count(act.slot.nv)});
  act.torque.setZero();
  if (!played_->is_touched(static_cast<int>(index))) return true;
  wake(index);
  return false;
}

void Simulation::wake(std::size_t index) {
  Act& act = acts_[index];
  played_->simulate(static_cast<int>(index), true);
  act.playing.simulated = true;
  act.playing.busy_until = time() + kBusy;
  sense(act);
  act.senses.settle(*engine_, act.observation);
  act.performer.controller->reset(act.observation);
}

// Played again, once it has been left alone and is where its motion has it, but for its place on the ground.
void Simulation::calm_down(std::size_t index) {
  Act& act = acts_[index];
  const ActorSlot& slot = act.slot;
  for (const Contact& contact : engine_->contacts()) {
    for_own_sides(contact, slot, [&](int, int other, double) {
      if (!compiled_->is_support(other) && compiled_->actor_of(other) != static_cast<int>(index))
        act.playing.busy_until = time() + kBusy;
    });
  }
  if (time() < act.playing.busy_until || recording().actors[index].fall) return;
  const double t = time() - act.clock_start;
  Performer& performer = act.performer;
  performer.followed->sample(t, act.target);
  const Eigen::Map<const VecX> q(engine_->q().data() + slot.first_q, slot.nq);
  const Eigen::Map<const VecX> v(engine_->v().data() + slot.first_v, slot.nv);
  VecX lag;
  difference(*slot.actor, act.target.q, q, lag);
  const int root = slot.actor->root_dofs();
  const double joints = lag.tail(slot.nv - root).cwiseAbs().mean();
  if (joints > kNear || lag.segment<3>(3).norm() > kUpright || (v - act.target.v).head<3>().norm() > kStill)
    return;
  const Eigen::Vector2d shift = lag.head<2>();
  performer.shown = placed(performer.shown, shift, 0);
  performer.followed = placed(performer.followed, shift, 0);
  make_controller(performer);
  lag.head<2>().setZero();
  act.playing = {.simulated = false, .since = t, .lag = lag, .busy_until = 0};
  played_->simulate(static_cast<int>(index), false);
}

}  // namespace stunt
