#include "stunt/optimize/objective.h"

#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

const std::vector<std::string> kMeasures = {"pose", "stance", "slide", "torque"};

ActorPtr judged_actor(Simulation& simulation) {
  if (simulation.acts().empty() || !simulation.acts().front().performer.shown)
    throw InputError("actors", "nobody with a motion", "a motion to be judged by");
  return simulation.acts().front().slot.actor;
}

}  // namespace

std::vector<MeasureSpec> paper_measures() {
  return {{"pose", 0.1, 1}, {"stance", 0.5, 1}, {"slide", 0.25, 1}, {"torque", 1000, 1}};
}

void describe(Fields& fields, MeasureSpec& measure) {
  fields("measure", measure.measure, {.help = "which", .choices = kMeasures});
  fields("most", measure.most,
         {.bounds = above(0), .help = "e_max: a run that exceeds it ends (m, 1, m/s, Nm)"});
  fields("weight", measure.weight, {.bounds = at_least(0), .help = "of its part of the bonus"});
}

void describe(Fields& fields, ObjectiveSpec& objective) {
  fields("duration", objective.duration,
         {.unit = "s", .bounds = above_to(0, 1e6), .help = "t_max: how long a run lasts at most"});
  fields("window", objective.window,
         {.unit = "s", .bounds = above_to(0, 1e3), .help = "over which stance, slide and torque are taken"});
  fields("bonus", objective.bonus,
         {.bounds = at_least(0), .help = "how much it counts to stay far within the measures"});
  fields.list("measures", objective.measures, "what ends a run; none: the paper's four");
}

void describe(Fields& fields, Judgement& judgement) {
  fields("reward", judgement.reward)("lasted_s", judgement.lasted_s)("ended", judgement.ended);
}

Objective::Objective(Simulation& simulation, const ObjectiveSpec& spec)
    : spec_(spec),
      rate_(simulation.recording().rate),
      feet_(find_feet(*judged_actor(simulation))),
      ours_(judged_actor(simulation)),
      theirs_(judged_actor(simulation)) {
  if (spec_.measures.empty()) spec_.measures = paper_measures();
  if (feet_.size() != 2) throw InputError("actors.0", "a character without two legs", "two legs");
  tallies_.resize(spec_.measures.size());
  for (const Foot& foot : feet_) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    for (const ContactPoint& point : ours_.actor().contact_points()) {
      if (point.body != foot.leg.foot) continue;
      sum += point.position;
      ++count;
    }
    soles_.push_back(count > 0 ? Vec3(sum / count) : sum);
  }
}

double Objective::pose_error() {
  const Vec3 com = ours_.com(), their_com = theirs_.com();
  double sum = 0;
  const auto& bodies = ours_.actor().bodies();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const int body = static_cast<int>(b);
    const Vec3 place = ours_.point(body, bodies[b].com) - com;
    const Vec3 wanted = theirs_.point(body, bodies[b].com) - their_com;
    sum += bodies[b].mass * (place - wanted).norm();
  }
  return sum / ours_.actor().mass();
}

double Objective::sliding(const Stance& stands) {
  double sum = 0;
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (!expected_.on[i] || !stands.on[i]) continue;
    const int foot = feet_[i].leg.foot;
    sum += ours_.point_velocity(foot, ours_.point(foot, soles_[i])).head<2>().norm();
  }
  return sum;
}

void Objective::sampled(Simulation& simulation, const Moment& moment) {
  if (over_) return;
  const Simulation::Act& act = simulation.acts().front();
  q_ = moment.q.segment(act.slot.first_q, act.slot.nq);
  v_ = moment.v.segment(act.slot.first_v, act.slot.nv);
  act.performer.shown->sample(moment.time - act.clock_start, target_);
  ours_.set_state(q_, v_);
  theirs_.set_state(target_.q, target_.v);
  expected_ = stance_of_reference(ours_.actor(), feet_, target_);

  const Stance stands = stance_of_contacts(feet_, act.observation.contacts);
  ++samples_;
  const auto length = static_cast<std::size_t>(std::max(1.0, std::round(spec_.window * rate_)));
  for (std::size_t i = 0; i < spec_.measures.size(); ++i) {
    const std::string& measure = spec_.measures[i].measure;
    double value = 0;
    if (measure == "pose") {
      value = pose_error();
    } else if (measure == "stance") {
      value = stands == expected_ ? 0 : 1;
    } else if (measure == "slide") {
      value = sliding(stands);
    } else {
      value = act.torque.tail(act.slot.nv - act.slot.actor->root_dofs()).cwiseAbs().sum();
    }
    Tally& tally = tallies_[i];
    tally.sum += value;
    double level = value;
    if (measure != "pose") {
      tally.window.push_back(value);
      tally.recent += value;
      if (tally.window.size() > length) {
        tally.recent -= tally.window.front();
        tally.window.pop_front();
      }
      level = tally.recent / static_cast<double>(length);
    }
    if (!(level <= spec_.measures[i].most) && !over_) {
      over_ = true;
      ended_ = measure;
    }
  }
}

Judgement Objective::judgement(const Simulation& simulation) const {
  Judgement out;
  const Recording& recording = simulation.recording();
  out.lasted_s = std::min(samples_ / rate_, spec_.duration);
  out.ended = ended_;
  if (!over_ && recording.actors.front().fall) {
    out.ended = "fall";
    out.lasted_s = std::min(out.lasted_s, recording.actors.front().fall->time);
  }
  if (!recording.diverged.empty()) {
    out.ended = "divergence";
    out.lasted_s = 0;  // the engine's fault as much as the controller's: nothing to build on
  }
  if (out.ended.empty()) out.lasted_s = spec_.duration;
  double within = 0, weights = 0;
  for (std::size_t i = 0; i < spec_.measures.size(); ++i) {
    const MeasureSpec& measure = spec_.measures[i];
    within += measure.weight * (1 - tallies_[i].sum / std::max(1, samples_) / measure.most);
    weights += measure.weight;
  }
  const double part = out.lasted_s / spec_.duration;
  out.reward = part + spec_.bonus * part * (weights > 0 ? within / weights : 0);
  return out;
}

Judgement run_and_judge(Simulation& simulation, const ObjectiveSpec& spec) {
  Objective objective(simulation, spec);
  simulation.watch(objective);
  const Recording& recording = simulation.recording();
  while (!simulation.done() && !objective.over() && !recording.actors.front().fall &&
         simulation.time() < spec.duration - 0.5 * recording.timestep)
    simulation.step();
  return objective.judgement(simulation);
}

}  // namespace stunt
