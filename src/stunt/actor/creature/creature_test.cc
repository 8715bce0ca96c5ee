#include "stunt/actor/creature/creature.h"

#include <gtest/gtest.h>

#include "stunt/actor/muscle/muscle_fibres.h"
#include "stunt/actor/muscle/muscle_paths.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

ParameterValues middle_of(const Creature& creature) {
  ParameterValues values;
  for (const Parameter& parameter : creature.parameters()) values[parameter.name] = parameter.mean;
  return values;
}

std::string creature_error(const std::string& yaml) {
  CreatureSpec spec;
  try {
    Config config = Config::parse(yaml, "mine.yaml");
    read_settings(config, spec);
    config.done();
    Creature creature(spec, "mine", "mine.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Creature, HumanHasTheThesisNumbers) {
  const CreaturePtr human = Creature::load("human");
  EXPECT_EQ(human->actor()->nv(), 39);
  EXPECT_EQ(human->kinds().size(), 40u);
  EXPECT_NEAR(human->actor()->mass(), 73, 2);
  for (const Role role : {Role::left_foot, Role::right_toes, Role::head, Role::chest})
    EXPECT_GE(human->actor()->body(role), 0);
}

TEST(Creature, LeftAndRightMirrorEachOther) {
  for (const std::string& name : built_in_creatures()) {
    const CreaturePtr creature = Creature::load(name);
    const std::vector<Muscle> muscles = creature->muscles(middle_of(*creature));
    for (std::size_t i = 0; i + 1 < muscles.size(); i += 2) {
      EXPECT_DOUBLE_EQ(muscles[i].max_force, muscles[i + 1].max_force);
      EXPECT_NEAR(muscles[i].tendon_slack, muscles[i + 1].tendon_slack, 1e-12)
          << name << " " << muscles[i].name;
      for (std::size_t k = 0; k < muscles[i].path.size(); ++k)
        EXPECT_DOUBLE_EQ(muscles[i].path[k].position.y(), -muscles[i + 1].path[k].position.y());
    }
  }
}

// At its rest length a muscle's fibres have their best length and its tendon hangs loose: it pulls next to nothing.
TEST(Creature, TrunkMusclesAreAtRestInTheBasePose) {
  const CreaturePtr human = Creature::load("human");
  const std::vector<Muscle> muscles = human->muscles(middle_of(*human));
  MusclePaths paths(human->actor(), muscles);
  const DataPtr data(mj_makeData(&human->actor()->model()));
  mj_kinematics(&human->actor()->model(), data.get());
  mj_comPos(&human->actor()->model(), data.get());
  paths.update(*data);
  const MuscleState rest = MuscleFibres(muscles).at_rest(paths.length(), 0.01);
  for (std::size_t i = 0; i < muscles.size(); ++i) {
    if (human->kinds()[i] != "SA") continue;
    EXPECT_LT(rest.force[static_cast<Eigen::Index>(i)], 0.02 * muscles[i].max_force);
  }
}

// Whatever way a neck or tail points, its muscles bend it: those of one joint have arms of both signs, and none is tiny.
TEST(Creature, MusclesOfNecksAndTailsLieAcrossThem) {
  for (const double tilt : {-20.0, 5.0, 45.0, 90.0}) {
    CreatureSpec spec;
    spec.body = "neck_tail";
    spec.neck = {.segments = 3, .length = 0.5, .tilt_deg = tilt, .mass = 3};
    spec.tail = spec.neck;
    const Creature creature(spec, "test", "test");
    const mjModel& model = creature.actor()->model();
    const std::vector<Muscle> muscles = creature.muscles(middle_of(creature));
    MusclePaths paths(creature.actor(), muscles);
    const DataPtr data(mj_makeData(&model));
    mj_kinematics(&model, data.get());
    mj_comPos(&model, data.get());
    paths.update(*data);
    for (const char* joint : {"neck1_bend", "head_bend", "tail2_bend"}) {
      const int dof = model.jnt_dofadr[mj_name2id(&model, mjOBJ_JOINT, joint)];
      double least = 1, most = -1;
      for (std::size_t m = 0; m < muscles.size(); ++m) {
        const double arm = paths.arm(static_cast<int>(m), dof);
        least = std::min(least, arm);
        most = std::max(most, arm);
      }
      EXPECT_LT(least, -0.03) << joint << " " << tilt;
      EXPECT_GT(most, 0.03) << joint << " " << tilt;
    }
  }
}

TEST(Creature, AParameterMovesItsPointOnBothSides) {
  const CreaturePtr human = Creature::load("human");
  ParameterValues values = middle_of(*human);
  const std::vector<Muscle> before = human->muscles(values);
  values["HAM.point0.x"] = 1;
  const std::vector<Muscle> after = human->muscles(values);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double moved = after[i].path[0].position.x() - before[i].path[0].position.x();
    EXPECT_NEAR(moved, human->kinds()[i] == "HAM" ? 0.03 : 0, 1e-12) << before[i].name;
  }
}

TEST(Creature, WrongFilesAreNamed) {
  EXPECT_EQ(creature_error("legs: humanoid"), "");
  EXPECT_NE(creature_error("legs: spider").find("humanoid, inverted"), std::string::npos);
  EXPECT_NE(creature_error("dimensions: {thigh: -1}").find("thigh"), std::string::npos);
  EXPECT_NE(creature_error("wings: 2").find("wings"), std::string::npos);
  EXPECT_NE(creature_error("{body: neck_tail, neck: 0}").find("neck.segments"), std::string::npos);
  EXPECT_NE(creature_error("{body: neck_tail, neck: 3, torso_mass: 0}").find("torso_mass"),
            std::string::npos);
  EXPECT_NE(creature_error("regions: [{muscle: XYZ}]").find("XYZ"), std::string::npos);
  EXPECT_NE(creature_error("regions: [{muscle: HAM, at: [-0.5, 0.08, 0]}]").find("off the pelvis"),
            std::string::npos);
  EXPECT_EQ(creature_error("regions: [{muscle: HAM, at: [-0.05, 0.08, -0.03], free: [0.02, 0.02, 0]}]"), "");
  EXPECT_NE(creature_error("dimensions: {foot: 0}").find("foot"), std::string::npos);
  EXPECT_NE(creature_error("heaviness: 0").find("heaviness"), std::string::npos);
  EXPECT_NE(creature_error("{body: neck_tail, neck: {segments: 3, mass: 0}}").find("mass"),
            std::string::npos);
  EXPECT_NE(creature_error("regions: [{muscle: HAM, point: 9}]").find("point 9 of HAM"), std::string::npos);
}

}  // namespace
}  // namespace stunt
