#include "stunt/control/muscle/gait_parameters.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "stunt/actor/muscle/muscle_paths.h"

namespace stunt {
namespace {

constexpr double kLeastHipArm = 0.015;  // m: below it a muscle neither bends nor stretches the hip

struct Excitations {
  double stance, swing, feedback;
};
Excitations usual_excitations(const std::string& kind) {
  static const std::map<std::string, Excitations> known = {
      {"HFM", {0.02, 0.02, 0}},   {"HFL", {0.02, 0.02, 0}},   {"GMX", {0.10, 0.02, 0}},
      {"GMD", {0.05, 0.02, 0}},   {"HAM", {0.02, 0.02, 0}},   {"RF", {0.01, 0.01, 0.15}},
      {"VAS", {0.08, 0.01, 1.2}}, {"GAS", {0.06, 0.01, 1.1}}, {"SOL", {0.10, 0.01, 1.3}},
      {"TA", {0.03, 0.05, 0}},    {"SA", {0.03, 0.03, 0}},    {"SP", {0.04, 0.04, 0}},
      {"NA", {0.03, 0.03, 0}},    {"NP", {0.04, 0.04, 0}},    {"SHF", {0.12, 0.02, 0}}};
  const auto found = known.find(kind);
  return found == known.end() ? Excitations{0.02, 0.02, 1} : found->second;
}

bool below(const Actor& actor, int body, int ancestor) {
  for (; body >= 0; body = actor.bodies()[static_cast<std::size_t>(body)].parent) {
    if (body == ancestor) return true;
  }
  return false;
}

}  // namespace

std::vector<MuscleUse> muscle_uses(const Creature& creature) {
  const ActorPtr& actor = creature.actor();
  ParameterValues middle;
  for (const Parameter& parameter : creature.parameters()) middle[parameter.name] = parameter.mean;
  const std::vector<Muscle> muscles = creature.muscles(middle);
  MusclePaths paths(actor, muscles);
  const DataPtr data(mj_makeData(&actor->model()));
  VecX::Map(data->qpos, actor->nq()) = actor->rest_q();
  mj_kinematics(&actor->model(), data.get());
  mj_comPos(&actor->model(), data.get());
  paths.update(*data);

  std::vector<MuscleUse> uses(muscles.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    MuscleUse& use = uses[i];
    use.leg = muscles[i].name.starts_with("left_") ? 0 : 1;
    const std::string side = use.leg == 0 ? "left_" : "right_";
    const int thigh = actor->find_body(side + "thigh"), shank = actor->find_body(side + "shank"),
              foot = actor->find_body(side + "foot"), head = actor->find_body("head");
    for (const MusclePaths::Crossing& crossing : paths.crossings()) {
      if (crossing.muscle != static_cast<int>(i)) continue;
      const double arm =
          paths.arms()[static_cast<std::size_t>(crossing.first)];  // bending is the first of a joint's dofs
      if (crossing.body == thigh) use.hip = std::abs(arm) < kLeastHipArm ? 2 : arm > 0 ? 1 : -1;
      if (crossing.body == shank) use.knee = arm > 0 ? 1 : -1;
      if (crossing.body == foot) use.ankle = arm > 0 ? 1 : -1;
      if (below(*actor, head, crossing.body)) use.trunk = true;
    }
    use.extends_under_load = use.ankle > 0 || use.knee > 0;
    const int lowest = muscles[i].path.back().body;
    if (below(*actor, lowest, foot)) {
      use.delay = 0.02;
    } else if (below(*actor, lowest, shank)) {
      use.delay = 0.01;
    }
  }
  return uses;
}

std::vector<Parameter> gait_parameters(const Creature& creature) {
  std::vector<Parameter> all = creature.parameters();
  const std::vector<MuscleUse> uses = muscle_uses(creature);
  std::set<std::string> known;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::string& kind = creature.kinds()[i];
    if (!known.insert(kind).second) continue;
    const bool leg = uses[i].hip != 0 || uses[i].knee != 0 || uses[i].ankle != 0;
    const Excitations usual = usual_excitations(kind);
    const double low = leg ? -0.3 : 0, spread = leg ? 0.03 : 0.02;
    if (uses[i].trunk) {
      all.push_back({kind + ".always", usual.stance, spread, low, 0.5, "", "constant excitation"});
    } else {
      all.push_back(
          {kind + ".stance", usual.stance, spread, low, 0.6, "", "constant excitation while its leg stands"});
      all.push_back(
          {kind + ".swing", usual.swing, spread, low, 0.6, "", "constant excitation while its leg swings"});
    }
    if (uses[i].extends_under_load) {
      all.push_back({kind + ".feedback", usual.feedback, 0.15, 0, 3, "",
                     "excitation for its own force, in largest forces, while its leg stands"});
    }
  }
  const auto add = [&](const char* name, double mean, double spread, double low, double high,
                       const char* unit, const char* help) {
    all.push_back({name, mean, spread, low, high, unit, help});
  };
  add("state.contact", 0.03, 0.02, 0.01, 0.3, "body weights", "load on a foot that counts as contact");
  add("state.lift", -0.46, 0.06, -0.92, 0, "leg lengths",
      "a foot so far ahead of the centre of mass lifts off");
  add("state.prepare", -0.17, 0.06, -0.35, 0.6, "leg lengths",
      "a swinging foot so far ahead prepares to stand");
  add("target.lean", 0.03, 0.04, -0.3, 0.5, "rad", "of the trunk, forward");
  add("target.lean_for_speed", 0.15, 0.05, -0.3, 0.5, "rad s/m", "more lean where it is too slow");
  add("target.lean_for_heading", 0.15, 0.1, -1, 1, "", "lean to the side where it should turn");
  add("target.swing.angle", 0.5, 0.06, -0.3, 1.3, "rad", "of the swinging thigh, forward");
  add("target.swing.place", 0.2, 0.15, -1, 2, "rad/m", "more where the body is ahead of the standing foot");
  add("target.swing.speed", -0.05, 0.08, -1, 1, "rad s/m", "more where it is too slow");
  add("target.prepare.angle", 0.2, 0.06, -0.3, 1.3, "rad", "of the thigh before it stands, forward");
  add("target.prepare.place", 0.2, 0.15, -1, 2, "rad/m", "more where the body is ahead of the standing foot");
  add("target.prepare.speed", 0, 0.08, -1, 1, "rad s/m", "more where it is too slow");
  add("target.side.angle", 0, 0.03, -0.3, 0.3, "rad", "of the swinging thigh, outward");
  add("target.side.place", 1, 0.2, -1, 3, "rad/m",
      "towards the side where the body is off the standing foot");
  add("target.side.speed", 0.3, 0.1, -1, 1.5, "rad s/m", "towards the side where the body goes");
  add("target.knee", 0.05, 0.06, 0, 0.8, "rad", "bend of the knee before the leg stands");
  add("target.ankle", 0.1, 0.05, -0.8, 0.8, "rad", "toes up while the leg swings");
  add("trunk.turn", 280, 40, 20, 1000, "Nm/rad", "the standing hips turn the trunk to its target");
  add("trunk.damp", 40, 5, 0, 150, "Nms/rad", "and damp it");
  add("head.pull", 1000, 200, 0, 4000, "N/m", "the trunk's muscles pull the head over the pelvis");
  add("head.pull_damp", 120, 20, 0, 400, "Ns/m", "and to the wanted speed");
  add("head.turn", 30, 8, 0, 300, "Nm/rad", "they turn the head upright");
  add("head.turn_damp", 3.5, 0.8, 0, 30, "Nms/rad", "and damp it");
  if (creature.actor()->find_body("chest") >= 0) {
    add("chest.turn", 100, 30, 0, 800, "Nm/rad", "they turn the chest as the trunk should be");
    add("chest.damp", 8, 3, 0, 80, "Nms/rad", "and damp it");
  }
  add("swing.turn", 80, 15, 5, 400, "Nm/rad", "hips turn the swinging thigh to its target");
  add("prepare.turn", 65, 15, 5, 400, "Nm/rad", "the same before it stands");
  add("prepare.damp", 8, 2, 0, 60, "Nms/rad", "and damp it");
  add("prepare.knee", 28, 6, 0, 200, "Nm/rad", "the knee goes to its target");
  add("swing.foot", 18, 3, 0, 100, "Nm/rad", "the foot goes to its target");
  add("lift.front", 0.55, 0.1, 0, 1.5, "", "excitation of hip flexors at lift-off");
  add("lift.back", -0.2, 0.1, -1.5, 0.3, "", "and of hip extensors");
  add("lift.knee", -0.7, 0.15, -2, 0.2, "", "and of knee extensors");
  add("start.lean", 0.03, 0.02, -0.2, 0.3, "rad", "of the body at the start, forward");
  add("start.speed", 0.85, 0.06, 0.3, 1.2, "", "part of the wanted speed");
  add("start.swing_thigh", 0.5, 0.5, -3, 8, "rad/s", "forward");
  add("start.swing_knee", 1.5, 0.6, -8, 8, "rad/s", "bending");
  add("start.stance_thigh", -1.5, 0.4, -5, 2, "rad/s", "forward");
  add("start.stance_knee", 0, 0.4, -3, 3, "rad/s", "bending");
  return all;
}

ParameterValues general_guess(const Creature& creature) {
  ParameterValues values;
  for (const Parameter& parameter : gait_parameters(creature)) values[parameter.name] = parameter.mean;
  return values;
}

}  // namespace stunt
