// A creature: a skeleton with muscles of which nobody knows yet how strong they are and where exactly they attach
// (Geijtenbeek 2013, sections 7.2.3 and 7.5.1). A file names templates and dimensions; an optimiser finds the rest.
//
//   legs: humanoid            # or inverted: a bird's
//   body: humanoid            # or neck_tail: any number of neck and tail segments
//   dimensions: {thigh: 0.4, shank: 0.4, foot: 0.21}
//   regions:                  # where one point of a muscle may lie, instead of the template's
//     - {muscle: HAM, point: 0, at: [-0.05, 0.08, -0.03], free: [0.02, 0.02, 0]}
//
// In the base pose all bodies have the world's axes (x forward, y left, z up), so that a rotation is one from that pose.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stunt/actor/muscle/muscle.h"
#include "stunt/core/settings.h"

namespace stunt {

struct LegDimensions {
  double thigh = 0.4, shank = 0.4;  // m
  double foot = 0.21;               // m, from heel to toe tip; inverted legs: from the hock to the ground
  double hip_width = 0.18;          // m, between the hip joints
};
struct ChainDimensions {  // neck or tail
  int segments = 0;
  double length = 0.8;   // m, all of them
  double tilt_deg = 60;  // upwards from where it points
  double mass = 5;       // kg
};
struct RegionSpec {
  std::string muscle;
  int point = 0;
  Vec3 at = Vec3::Zero(), free = Vec3::Zero();  // m: the middle, and how far it may move to either side
};
struct CreatureSpec {
  std::string legs = "humanoid", body = "humanoid";
  LegDimensions dimensions;
  double torso = 0.3;          // m, neck_tail: length of the trunk
  double torso_radius = 0.16;  // m, neck_tail
  ChainDimensions neck, tail;
  double torso_mass = 30;  // kg, neck_tail
  double heaviness = 1;    // factor on all masses, and on strength
  std::vector<RegionSpec> regions;
};
void describe(Fields& fields, CreatureSpec& spec);

// A number that is found by optimisation.
struct Parameter {
  std::string name;  // "HAM.strength"; a dot makes a group of settings
  double mean, spread, low, high;
  std::string unit, help;
};
using ParameterValues = std::map<std::string, double>;

// The body that the numbers of templates and gaits are for. Others get the like of them (Froude): forces grow with the weight,
// times with the root of the leg's length.
constexpr double kUsualMass = 73, kUsualLeg = 0.87;  // kg; m, from hip joint to ground

// A joint's passive spring with an optimised stiffness (Nm/rad); its damping follows.
struct PassiveSpring {
  int dof;
  std::string parameter;
};

class Creature {
 public:
  // By the name of a built-in one, or a file's path. Throws InputError.
  static std::shared_ptr<const Creature> load(const std::string& name_or_path);
  Creature(const CreatureSpec& spec, const std::string& name, const std::string& place);

  const std::string& name() const { return name_; }
  const CreatureSpec& spec() const { return spec_; }
  const ActorPtr& actor() const { return actor_; }
  double leg_length() const { return leg_length_; }  // m, from hip joint to ground in the base pose
  // Of muscles and passive springs; tied left and right.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::vector<Muscle> muscles(const ParameterValues& values) const;
  const std::vector<PassiveSpring>& springs() const { return springs_; }
  // Which set of parameters a muscle follows ("HAM" for both hamstrings), by muscle.
  const std::vector<std::string>& kinds() const { return kinds_; }

  // Where a point of a muscle may lie, on the left side or in the middle; for pictures.
  struct Region {
    int muscle, point;
    MusclePoint middle;
    Vec3 free;
  };
  std::vector<Region> regions() const;

  // What a template is made of.
  struct Point {
    std::string body;
    Vec3 at, free = Vec3::Zero();  // m, in the body's axes from `from`
    Vec3 from = Vec3::Zero();
  };
  struct MuscleTemplate {
    std::string kind;
    double max_force, fibre_length, max_speed;
    std::vector<Point> path;    // of the left side
    bool rest_is_free = false;  // its rest length is optimised; else it is at rest in the base pose
    double usual_rest = 0;      // where its search begins, in fibre lengths beyond the path in the slack pose
  };

 private:
  void add_parameters();

  std::string name_;
  CreatureSpec spec_;
  ActorPtr actor_;
  double leg_length_ = 0;
  std::vector<MuscleTemplate> templates_;  // each makes a left and a right muscle
  std::vector<Parameter> parameters_;
  std::vector<PassiveSpring> springs_;
  std::vector<std::string> kinds_;
  VecX slack_pose_;  // in which the muscles of the legs have their rest length
};
using CreaturePtr = std::shared_ptr<const Creature>;

std::vector<std::string> built_in_creatures();

}  // namespace stunt
