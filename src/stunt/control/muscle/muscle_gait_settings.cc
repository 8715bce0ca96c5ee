#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stunt/control/muscle/muscle_gait.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"

namespace stunt {
namespace {

// Parameters whose names share what is before a dot become a group.
void describe_parameters(Fields& fields, const std::vector<Parameter>& all, const std::string& prefix,
                         ParameterValues& values) {
  std::set<std::string> groups;
  for (const Parameter& parameter : all) {
    if (!parameter.name.starts_with(prefix)) continue;
    const std::string rest = parameter.name.substr(prefix.size());
    const auto dot = rest.find('.');
    if (dot == std::string::npos) {
      fields(rest, values[parameter.name],
             {.unit = parameter.unit.find(' ') == std::string::npos ? parameter.unit : "",
              .bounds = between(parameter.low, parameter.high),
              .help = parameter.help,
              .search = SearchRange{parameter.mean, parameter.spread}});
    } else if (groups.insert(rest.substr(0, dot)).second) {
      const std::string group = rest.substr(0, dot);
      fields.group(group, values, "", "", [&](Fields& inner, ParameterValues& same) {
        describe_parameters(inner, all, prefix + group + ".", same);
      });
    }
  }
}

bool same_bodies(const Actor& one, const Actor& other) {
  return one.nv() == other.nv() &&
         std::equal(
             one.bodies().begin(), one.bodies().end(), other.bodies().begin(), other.bodies().end(),
             [](const ActorBody& a, const ActorBody& b) { return a.name == b.name && a.offset == b.offset; });
}

void describe_gait(Fields& fields, MuscleGaitSettings& settings) {
  const std::string before = settings.creature;
  fields("creature", settings.creature,
         {.help = "whose muscles: a built-in creature or a file; the same as the actor's character"});
  const CreaturePtr creature = Creature::load(settings.creature);
  if (settings.creature != before || settings.parameters.empty())
    settings.parameters = general_guess(*creature);
  fields("speed", settings.speed, {.unit = "m/s", .bounds = between(0.2, 12), .help = "wanted"});
  fields(
      "heading_deg", settings.heading_deg,
      {.unit = "deg", .bounds = between(-720, 720), .help = "wanted, from the world's x axis to the left"});
  fields("ideal", settings.ideal,
         {.help = "muscles pull as they are excited, at once: no activation, contraction or delays"});
  const std::vector<Parameter> all = gait_parameters(*creature);
  fields.group("parameters", settings.parameters, "of muscles and reflexes; `stunt optimize gait` finds them",
               "",
               [&](Fields& inner, ParameterValues& values) { describe_parameters(inner, all, "", values); });
}

}  // namespace

MuscleGaitSettings::MuscleGaitSettings() : creature("human") {}

void describe(Fields& fields, MuscleGaitSettings& settings) {
  fields("file", settings.file,
         {.help = "a gait that an optimiser left: built-in, or a file; what is said here comes on top"});
  std::string file, creature;
  if (fields.reading() && !settings.file.empty()) {
    const auto embedded = embedded_file("controllers/" + settings.file + ".yaml");
    Config config =
        Config::parse(embedded ? std::string(*embedded) : read_file(settings.file), settings.file);
    read_described(config, [&](Fields& inner) { describe_gait(inner, settings); });
    config.done();
    file.swap(settings.file);
    creature = settings.creature;
  }
  describe_gait(fields, settings);
  if (!file.empty() && settings.creature != creature) {
    throw InputError("creature",
                     "'" + settings.creature + "' with '" + file + "', a gait of '" + creature + "'",
                     "a gait of the same creature");
  }
}

std::string write_gait(const MuscleGaitSettings& settings) {
  MuscleGaitSettings copy = settings;
  return write_described([&](Fields& fields) { describe_gait(fields, copy); });
}

std::unique_ptr<Controller> make_controller(const MuscleGaitSettings& settings, const ControllerTask& task) {
  const CreaturePtr creature = Creature::load(settings.creature);
  if (!same_bodies(*task.reference->actor(), *creature->actor())) {
    throw InputError("controller.creature",
                     "'" + settings.creature + "' on the body of '" + task.reference->actor()->name() + "'",
                     "the creature that is the actor's character");
  }
  if (settings.parameters.empty()) {
    MuscleGaitSettings filled = settings;
    filled.parameters = general_guess(*creature);
    return std::make_unique<MuscleGait>(creature, filled);
  }
  return std::make_unique<MuscleGait>(creature, settings);
}

std::optional<StartPose> start_pose(const MuscleGaitSettings& settings, const Actor& actor) {
  const CreaturePtr creature = Creature::load(settings.creature);
  if (!same_bodies(actor, *creature->actor())) {
    throw InputError("controller.creature",
                     "'" + settings.creature + "' on the body of '" + actor.name() + "'",
                     "the creature that is the actor's character");
  }
  return start_pose(*creature, settings);
}

StartPose start_pose(const Creature& creature, const MuscleGaitSettings& settings) {
  const Actor& actor = *creature.actor();
  const ParameterValues values = settings.parameters.empty() ? general_guess(creature) : settings.parameters;
  const mjModel& model = actor.model();
  StartPose start{actor.rest_q(), VecX::Zero(actor.nv())};
  const auto joint = [&](const char* name) { return mj_name2id(&model, mjOBJ_JOINT, name); };
  quat_to_wxyz(axis_angle(Vec3::UnitY(), values.at("start.lean")), &start.q[3]);
  start.q[model.jnt_qposadr[joint("left_hip_bend")]] += radians(20);
  const double speed = values.at("start.speed") * settings.speed;
  const double slow = std::sqrt(kUsualLeg / creature.leg_length());  // long legs swing slowly
  start.v[0] = speed;
  start.v[model.jnt_dofadr[joint("left_hip_bend")]] = slow * values.at("start.swing_thigh");
  start.v[model.jnt_dofadr[joint("left_knee")]] = slow * values.at("start.swing_knee");
  start.v[model.jnt_dofadr[joint("right_hip_bend")]] = slow * values.at("start.stance_thigh");
  start.v[model.jnt_dofadr[joint("right_knee")]] = slow * values.at("start.stance_knee");
  // On the ground with its lowest sole.
  const DataPtr data(mj_makeData(&model));
  VecX::Map(data->qpos, actor.nq()) = start.q;
  mj_kinematics(&model, data.get());
  double lowest = 1e9;
  for (const ContactPoint& point : actor.contact_points()) {
    const int body = point.body + 1;
    const Quat rotation = quat_from_wxyz(&data->xquat[4 * body]);
    lowest = std::min(lowest, data->xpos[3 * body + 2] + (rotation * point.position).z() - point.radius);
  }
  start.q[2] -= lowest;
  return start;
}

}  // namespace stunt
