// The template against published moment arms and against itself: left and right, small and tall.
#include "stunt/actor/muscle/muscle_template.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/fit/fit.h"
#include "stunt/actor/muscle/muscle_paths.h"
#include "stunt/motion/load.h"

namespace stunt {
namespace {

class MuscleTemplate : public testing::Test {
 protected:
  ActorPtr actor = fit_actor(load_clip("walk")).actor;
  BodyMuscles body = human_muscles(actor);
  MusclePaths paths{actor, body.muscles};
  ActorDynamics dynamics{actor};

  int muscle(const std::string& name) const {
    for (std::size_t i = 0; i < body.muscles.size(); ++i)
      if (body.muscles[i].name == name) return static_cast<int>(i);
    ADD_FAILURE() << name;
    return 0;
  }
  // cm, of the muscle about one axis of the joint at `part`, turned by `angle` degrees about that axis: how much shorter it
  // gets per radian.
  double arm(const std::string& name, Role part, int axis, double angle) {
    VecX turn = VecX::Zero(actor->nv()), q;
    const int dof = actor->model().body_dofadr[actor->body(part) + 1] + axis;
    turn[dof] = radians(angle);
    integrate(*actor, actor->rest_q(), turn, 1, q);
    dynamics.set_state(q, VecX::Zero(actor->nv()));
    dynamics.com();
    paths.update(dynamics.data());
    return -100 * paths.arm(muscle(name), dof);
  }
};

TEST_F(MuscleTemplate, IsAWholeBody) {
  EXPECT_GE(body.muscles.size(), 200u);
  EXPECT_GE(actor->bodies().size(), 18u);
  std::set<int> bodies;
  for (const Muscle& muscle : body.muscles) {
    check_muscle(muscle, *actor, "test");
    for (const MusclePoint& point : muscle.path) bodies.insert(point.body);
  }
  EXPECT_EQ(bodies.size(), actor->bodies().size());  // every part is held by one
}

// Axes of this character: x forward, y left, z up; the thigh goes forward about -y, the knee bends about +y.
TEST_F(MuscleTemplate, ArmsAreThoseThatWereMeasured) {
  const struct {
    const char* muscle;
    Role part;
    int axis;
    double angle, least, most;  // degrees, cm
  } known[] = {
      // Knee (Buford et al. 1997; Spoor and van Leeuwen 1992): extensors -, flexors +.
      {"left vastus lateralis", Role::left_shank, 0, 10, -5.5, -3.5},
      {"left vastus lateralis", Role::left_shank, 0, 45, -5.5, -3.2},
      {"left vastus lateralis", Role::left_shank, 0, 90, -4.5, -2.0},
      {"left rectus femoris", Role::left_shank, 0, 20, -5.5, -3.5},
      {"left semimembranosus", Role::left_shank, 0, 10, 1.5, 4.5},
      {"left semitendinosus", Role::left_shank, 0, 60, 3.0, 6.5},
      {"left biceps femoris, long head", Role::left_shank, 0, 45, 1.5, 5},
      {"left gastrocnemius, medial", Role::left_shank, 0, 10, 1.5, 3.5},
      // Ankle (Maganaris et al. 1998, 1999): about 5 cm for the Achilles tendon, 3 to 4.5 for the tibialis anterior.
      {"left soleus", Role::left_foot, 0, 0, 4, 6},
      {"left gastrocnemius, medial", Role::left_foot, 0, 15, 4, 6.5},
      {"left tibialis anterior", Role::left_foot, 0, 0, -5, -3},
      // Hip (Arnold et al. 2000; Nemeth and Ohlsen 1985): extensors +, flexors -.
      {"left semimembranosus", Role::left_thigh, 1, -20, 4, 8},
      {"left biceps femoris, long head", Role::left_thigh, 1, -45, 4.5, 8.5},
      {"left gluteus maximus, middle", Role::left_thigh, 1, 0, 3, 8},
      {"left psoas", Role::left_thigh, 1, -20, -5.5, -1.5},
      {"left iliacus", Role::left_thigh, 1, 0, -5, -1.5},
      {"left rectus femoris", Role::left_thigh, 1, -20, -6.5, -2.5},
      // Hip, aside (Dostal et al. 1986): abductors + about x on the left, adductors -.
      {"left gluteus medius, middle", Role::left_thigh, 0, 0, 3, 7.5},
      {"left adductor longus", Role::left_thigh, 0, 0, -8.5, -4},
      // Elbow (Murray et al. 1995).
      {"left biceps, long head", Role::left_forearm, 0, 90, 3, 5.5},
      {"left brachialis", Role::left_forearm, 0, 90, 1.5, 3.5},
      {"left brachioradialis", Role::left_forearm, 0, 90, 4, 9},
      {"left triceps, lateral head", Role::left_forearm, 0, 60, -3, -1.2},
      // Back (Bogduk et al. 1992): 5 to 6 cm behind the lumbar joints, bending forward is +y.
      {"left longissimus thoracis, to T7", Role::spine, 1, 0, -7, -4},
      {"left rectus abdominis", Role::spine, 1, 0, 6, 11},
  };
  for (const auto& one : known) {
    const double found = arm(one.muscle, one.part, one.axis, one.angle);
    EXPECT_GE(found, one.least) << one.muscle << " at " << one.angle;
    EXPECT_LE(found, one.most) << one.muscle << " at " << one.angle;
  }
}

TEST_F(MuscleTemplate, LeftIsRight) {
  dynamics.com();
  paths.update(dynamics.data());
  ASSERT_EQ(body.muscles.size() % 2, 0u);
  for (std::size_t i = 0; i < body.muscles.size(); i += 2) {
    EXPECT_EQ(body.muscles[i].name.substr(5), body.muscles[i + 1].name.substr(6));
    EXPECT_NEAR(paths.length()[static_cast<int>(i)], paths.length()[static_cast<int>(i) + 1], 1e-6)
        << body.muscles[i].name;
    const auto left = paths.points(static_cast<int>(i)), right = paths.points(static_cast<int>(i) + 1);
    for (std::size_t k = 0; k < left.size(); ++k)
      EXPECT_LT((left[k] - Vec3(right[k].x(), -right[k].y(), right[k].z())).norm(), 1e-6)
          << body.muscles[i].name;
  }
}

// No point is further than 4 cm outside the shapes that the character is drawn with: these are slim.
TEST_F(MuscleTemplate, NoMuscleLeavesTheBody) {
  const mjModel& model = actor->model();
  dynamics.com();
  paths.update(dynamics.data());
  const mjData& data = dynamics.data();
  for (int i = 0; i < paths.size(); ++i) {
    for (const Vec3& point : paths.points(i)) {
      double nearest = 1;
      for (int g = 0; g < model.ngeom; ++g) {
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> axes(data.geom_xmat + 9 * g);
        const Vec3 local = axes.transpose() * (point - vec3(data.geom_xpos + 3 * g));
        const Vec3 half = vec3(model.geom_aabb + 6 * g + 3);
        nearest = std::min(nearest, (local.cwiseAbs() - half).cwiseMax(0).norm());
      }
      EXPECT_LT(nearest, 0.04) << body.muscles[static_cast<std::size_t>(i)].name;
    }
  }
}

TEST_F(MuscleTemplate, StrengthGoesWithTheMassAndLengthsWithTheBones) {
  const ActorPtr heavy = fit_actor(load_clip("walk"), {.mass_kg = 2 * actor->mass()}).actor;
  const BodyMuscles strong = human_muscles(heavy);
  ASSERT_EQ(strong.muscles.size(), body.muscles.size());
  EXPECT_NEAR(strong.muscles[0].max_force, 2 * body.muscles[0].max_force, 1e-6 * body.muscles[0].max_force);
  EXPECT_DOUBLE_EQ(strong.muscles[0].fibre_length, body.muscles[0].fibre_length);
}

TEST(MuscleTemplateOnOthers, ABodyThatIsNoHumansHasNone) {
  const ActorPtr box = Actor::from_xml(
      "<mujoco><worldbody><body name='box'><freejoint/><geom type='box' size='.1 .1 .1' "
      "mass='1'/></body></worldbody></mujoco>",
      "box", "test");
  EXPECT_TRUE(human_muscles(box).muscles.empty());
}

}  // namespace
}  // namespace stunt
