#include "stunt/actor/creature/creature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "stunt/actor/creature/skeleton.h"
#include "stunt/actor/dynamics.h"
#include "stunt/actor/muscle/muscle_paths.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"

namespace stunt {
namespace {

constexpr double kLeastSlack = 0.01;  // m
constexpr double kFarthest = 0.2;     // m off the shapes of its body: no muscle attaches there
const std::array<char, 3> kAxes = {'x', 'y', 'z'};

std::string point_name(const std::string& kind, std::size_t point, int axis) {
  return fmt::format("{}.point{}.{}", kind, point, kAxes[static_cast<std::size_t>(axis)]);
}

const std::map<std::string, Parameter>& spring_parameters() {
  static const std::map<std::string, Parameter> all = {
      {"passive.hip_turn",
       {"passive.hip_turn", 100, 12, 5, 200, "Nm/rad", "springs of the hips about the leg's axis"}},
      {"passive.ankle",
       {"passive.ankle", 180, 20, 20, 300, "Nm/rad", "springs of the ankles to the side and about the leg"}},
      {"passive.spine", {"passive.spine", 50, 8, 5, 150, "Nm/rad", "springs of the spine about its axis"}}};
  return all;
}

// m, from a point in the body's axes to the surface of its nearest shape (spheres and capsules).
double distance_to_shapes(const mjModel& m, int body, const Vec3& point) {
  double nearest = std::numeric_limits<double>::infinity();
  for (int g = m.body_geomadr[body]; g < m.body_geomadr[body] + m.body_geomnum[body]; ++g) {
    const Vec3 way = point - vec3(m.geom_pos + 3 * g);
    const double half = m.geom_type[g] == mjGEOM_CAPSULE ? m.geom_size[3 * g + 1] : 0;
    const Vec3 axis = quat_from_wxyz(m.geom_quat + 4 * g) * Vec3::UnitZ();
    const Vec3 off = way - std::clamp(way.dot(axis), -half, half) * axis;
    nearest = std::min(nearest, off.norm() - m.geom_size[3 * g]);
  }
  return nearest;
}

void describe_legs(Fields& fields, LegDimensions& legs) {
  const Limit length = between(0.05, 3);
  fields("thigh", legs.thigh, {.unit = "m", .bounds = length, .help = "from hip to knee"});
  fields("shank", legs.shank, {.unit = "m", .bounds = length, .help = "from knee to ankle"});
  fields("foot", legs.foot,
         {.unit = "m", .bounds = length, .help = "heel to toe tip; inverted legs: hock to ground"});
  fields("hip_width", legs.hip_width,
         {.unit = "m", .bounds = between(0.05, 2), .help = "between the hip joints"});
}

void describe_chain(Fields& fields, ChainDimensions& chain) {
  fields("segments", chain.segments, {.bounds = between(0, 20), .help = "how many; 0: none"});
  fields("length", chain.length, {.unit = "m", .bounds = between(0.05, 5), .help = "of all together"});
  fields("tilt_deg", chain.tilt_deg,
         {.unit = "deg", .bounds = between(-80, 90), .help = "upwards from level"});
  fields("mass", chain.mass, {.unit = "kg", .bounds = above(0), .help = "of all together"});
}

void describe_region(Fields& fields, RegionSpec& region) {
  fields("muscle", region.muscle, {.help = "which; left and right alike"});
  fields("point", region.point, {.bounds = between(0, 20), .help = "of its path, from 0"});
  fields("at", region.at,
         {.unit = "m", .bounds = between(-2, 2), .help = "the middle, in the body's axes, left side"});
  fields("free", region.free,
         {.unit = "m", .bounds = between(0, 0.5), .help = "how far it may move to either side"});
}

}  // namespace

void describe(Fields& fields, CreatureSpec& spec) {
  fields("legs", spec.legs, {.help = "template of the legs", .choices = {"humanoid", "inverted"}});
  fields("body", spec.body, {.help = "template of the rest", .choices = {"humanoid", "neck_tail"}});
  fields.group("dimensions", spec.dimensions, "of the legs", "", describe_legs);
  fields("torso", spec.torso,
         {.unit = "m", .bounds = between(0.1, 3), .help = "neck_tail: length of the trunk"});
  fields("torso_radius", spec.torso_radius,
         {.unit = "m", .bounds = between(0.03, 1), .help = "neck_tail: of the trunk"});
  fields("torso_mass", spec.torso_mass,
         {.unit = "kg", .bounds = above(0), .help = "neck_tail: of the trunk"});
  fields.group("neck", spec.neck, "neck_tail: its neck, with the head at its end", "segments",
               describe_chain);
  fields.group("tail", spec.tail, "neck_tail: its tail", "segments", describe_chain);
  fields("heaviness", spec.heaviness,
         {.bounds = between(0.05, 20), .help = "factor on all masses and strengths"});
  fields.list("regions", spec.regions, "where points of muscles may lie, instead of the template's",
              describe_region);
}

Creature::Creature(const CreatureSpec& spec, const std::string& name, const std::string& place)
    : name_(name), spec_(spec) {
  SkeletonDraft draft;
  (spec.body == "humanoid" ? add_humanoid_body : add_neck_tail_body)(spec, draft);
  (spec.legs == "humanoid" ? add_humanoid_legs : add_inverted_legs)(spec, draft);
  if (spec.body == "neck_tail" && spec.neck.segments == 0)
    throw InputError(place + ": neck.segments", "0", "at least 1: the last one is the head");
  actor_ = Actor::from_xml(to_mjcf(draft, name, spec.heaviness), name, place);
  leg_length_ = draft.hip_height;
  templates_ = draft.muscles;
  const double strength = actor_->mass() / kUsualMass;
  for (MuscleTemplate& muscle : templates_) muscle.max_force *= strength;
  for (const RegionSpec& region : spec.regions) {
    bool found = false;
    std::set<std::string> kinds;
    for (MuscleTemplate& muscle : templates_) {
      kinds.insert(muscle.kind);
      if (muscle.kind != region.muscle) continue;
      found = true;
      if (region.point >= static_cast<int>(muscle.path.size())) {
        throw InputError(place + ": regions", fmt::format("point {} of {}", region.point, region.muscle),
                         fmt::format("0 to {}", muscle.path.size() - 1));
      }
      Point& point = muscle.path[static_cast<std::size_t>(region.point)];
      point.at = region.at;
      point.free = region.free;
      const double off =
          distance_to_shapes(actor_->model(), actor_->find_body(point.body) + 1, point.from + point.at) +
          region.free.norm();
      if (off > kFarthest) {
        throw InputError(place + ": regions",
                         fmt::format("point {} of {} up to {:.2f} m off the {}", region.point, region.muscle,
                                     off, point.body),
                         fmt::format("at most {:g} m", kFarthest));
      }
    }
    if (!found)
      throw InputError(place + ": regions", "'" + region.muscle + "'",
                       fmt::format("one of: {}", fmt::join(kinds, ", ")));
  }
  for (const Bone& bone : draft.bones) {
    for (const BoneJoint& joint : bone.joints) {
      if (joint.spring.empty()) continue;
      const int id = mj_name2id(&actor_->model(), mjOBJ_JOINT, joint.name.c_str());
      springs_.push_back({actor_->model().jnt_dofadr[id], joint.spring});
    }
  }
  slack_pose_ = actor_->rest_q();
  for (const auto& [joint, angle] : draft.slack_pose) {
    for (const char* side : {"left_", "right_"}) {
      const int id = mj_name2id(&actor_->model(), mjOBJ_JOINT, (side + joint).c_str());
      slack_pose_[actor_->model().jnt_qposadr[id]] = angle;
    }
  }
  add_parameters();
  ParameterValues middle;
  for (const Parameter& parameter : parameters_) middle[parameter.name] = parameter.mean;
  for (const Muscle& muscle : muscles(middle)) check_muscle(muscle, *actor_, place);
}

void Creature::add_parameters() {
  std::set<std::string> known;
  for (const MuscleTemplate& muscle : templates_) {
    for (int side = 0; side < 2; ++side) kinds_.push_back(muscle.kind);
    if (!known.insert(muscle.kind).second) continue;
    const std::string& kind = muscle.kind;
    for (std::size_t i = 0; i < muscle.path.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        if (muscle.path[i].free[axis] <= 0) continue;
        parameters_.push_back({point_name(kind, i, axis), 0, 0.33, -1, 1, "",
                               "where the point lies in its region, from one end (-1) to the other"});
      }
    }
    if (muscle.rest_is_free) {
      parameters_.push_back(
          {kind + ".strength", kind == "GAS" ? 1.2 : 1.0, 0.1, 0.5, 2, "", "factor on its largest force"});
      parameters_.push_back({kind + ".rest", muscle.usual_rest, 0.08, -0.5, 0.5, "",
                             "rest length beyond the template's, in fibre lengths"});
    }
    parameters_.push_back({kind + ".fibre", 1, 0.08, 0.5, 1.6, "", "factor on its fibres' length"});
  }
  std::set<std::string> springs;
  for (const PassiveSpring& spring : springs_) {
    if (springs.insert(spring.parameter).second)
      parameters_.push_back(spring_parameters().at(spring.parameter));
  }
}

std::vector<Muscle> Creature::muscles(const ParameterValues& values) const {
  const auto value = [&](const std::string& name, double otherwise) {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : found->second;
  };
  std::vector<Muscle> all;
  for (const MuscleTemplate& muscle : templates_) {
    for (int side = 0; side < 2; ++side) {
      Muscle made{.name = (side == 0 ? "left_" : "right_") + muscle.kind,
                  .max_force = muscle.max_force * value(muscle.kind + ".strength", 1),
                  .fibre_length = muscle.fibre_length * value(muscle.kind + ".fibre", 1),
                  .max_speed = muscle.max_speed,
                  .tendon_slack = 1};
      for (std::size_t i = 0; i < muscle.path.size(); ++i) {
        const Point& point = muscle.path[i];
        Vec3 at = point.from + point.at;
        for (int axis = 0; axis < 3; ++axis) {
          if (point.free[axis] > 0) at[axis] += point.free[axis] * value(point_name(muscle.kind, i, axis), 0);
        }
        made.path.push_back(side == 0
                                ? MusclePoint{actor_->find_body(point.body), at}
                                : MusclePoint{actor_->find_body(mirrored_name(point.body)), mirrored(at)});
      }
      all.push_back(std::move(made));
    }
  }
  // Tendons are as long as the path leaves room for when the fibres have their best length.
  MusclePaths paths(actor_, all);
  const DataPtr data(mj_makeData(&actor_->model()));
  const auto lengths = [&](const VecX& q) {
    VecX::Map(data->qpos, actor_->nq()) = q;
    mj_kinematics(&actor_->model(), data.get());
    mj_comPos(&actor_->model(), data.get());
    paths.update(*data);
    return paths.length();
  };
  const VecX at_base = lengths(actor_->rest_q()), at_slack = lengths(slack_pose_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MuscleTemplate& muscle = templates_[i / 2];
    const auto index = static_cast<Eigen::Index>(i);
    const double rest = muscle.rest_is_free
                            ? at_slack[index] + value(muscle.kind + ".rest", 0) * muscle.fibre_length
                            : at_base[index];
    all[i].tendon_slack = std::max(rest - all[i].fibre_length, kLeastSlack);
  }
  return all;
}

std::vector<Creature::Region> Creature::regions() const {
  std::vector<Region> all;
  for (std::size_t m = 0; m < templates_.size(); ++m) {
    for (std::size_t i = 0; i < templates_[m].path.size(); ++i) {
      const Point& point = templates_[m].path[i];
      all.push_back({static_cast<int>(2 * m),
                     static_cast<int>(i),
                     {actor_->find_body(point.body), point.from + point.at},
                     point.free});
    }
  }
  return all;
}

std::shared_ptr<const Creature> Creature::load(const std::string& name_or_path) {
  const auto embedded = embedded_file("creatures/" + name_or_path + ".yaml");
  const std::filesystem::path path(name_or_path);
  if (!embedded && path.extension() != ".yaml" && path.extension() != ".yml") {
    throw InputError(
        name_or_path, "no creature of this name",
        fmt::format("a file that ends in .yaml, or one of: {}", fmt::join(built_in_creatures(), ", ")));
  }
  const std::string text = embedded ? std::string(*embedded) : read_file(path);
  CreatureSpec spec;
  Config config = Config::parse(text, name_or_path);
  read_settings(config, spec);
  config.done();
  return std::make_shared<Creature>(spec, path.stem().string(), name_or_path);
}

std::vector<std::string> built_in_creatures() { return embedded_names("creatures"); }

}  // namespace stunt
