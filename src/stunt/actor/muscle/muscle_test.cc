#include "stunt/actor/muscle/muscle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/muscle/metabolism.h"
#include "stunt/actor/muscle/muscle_curves.h"
#include "stunt/actor/muscle/muscle_fibres.h"
#include "stunt/actor/muscle/muscle_paths.h"
#include "stunt/core/error.h"
#include "stunt/core/random.h"

namespace stunt {
namespace {

using namespace muscle_curves;

const Muscle kSoleus{
    .name = "soleus", .max_force = 4000, .fibre_length = 0.04, .max_speed = 6, .tendon_slack = 0.26};

VecX vec1(double x) { return VecX::Constant(1, x); }

// The fibre velocity (largest speeds) at which forces balance exactly, by bisection.
double exact_speed(const Muscle& muscle, double activation, double fibre, double length) {
  const double strain = (length - fibre * muscle.fibre_length - muscle.tendon_slack) / muscle.tendon_slack;
  const double load = tendon(strain) + buffer(fibre);
  double low = -1, high = 1e4;
  for (int i = 0; i < 80; ++i) {
    const double w = 0.5 * (low + high);
    const double force =
        (activation * force_length(fibre) + parallel(fibre)) * force_velocity(w) + kDamping * w;
    (force < load ? low : high) = w;
  }
  return low;
}

TEST(Muscle, CurvesPassThroughTheirPublishedPoints) {
  EXPECT_DOUBLE_EQ(force_length(1), 1);
  EXPECT_NEAR(force_length(1.56), 0.05, 1e-12);
  EXPECT_NEAR(force_length(0.44), 0.05, 1e-12);
  EXPECT_DOUBLE_EQ(force_velocity(-1), 0);
  EXPECT_DOUBLE_EQ(force_velocity(0), 1);
  EXPECT_DOUBLE_EQ(force_velocity(1), 1.5);
  EXPECT_NEAR(force_velocity(-0.5), 0.5 / 3.5, 1e-12);  // Hill's hyperbola
  EXPECT_DOUBLE_EQ(tendon(0.04), 1);
  EXPECT_DOUBLE_EQ(tendon(-0.1), 0);
  EXPECT_DOUBLE_EQ(parallel(1), 0);
  EXPECT_DOUBLE_EQ(parallel(1.56), 1);
  for (double w = -0.95; w < 2; w += 0.1) {
    EXPECT_NEAR(force_velocity_slope(w), (force_velocity(w + 1e-6) - force_velocity(w - 1e-6)) / 2e-6, 1e-4);
  }
}

// Held at a length and fully excited, fibres and tendon come to rest where their forces are the same.
TEST(Muscle, IsometricForceIsTheBalanceOfFibresAndTendon) {
  const MuscleFibres fibres(std::span(&kSoleus, 1));
  for (const double excitation : {0.1, 0.5, 1.0}) {
    for (const double length : {0.27, 0.29, 0.3, 0.31, 0.33}) {
      MuscleState state = fibres.at_rest(vec1(length));
      for (int i = 0; i < 4000; ++i) fibres.step(vec1(excitation), vec1(length), 0.001, state);
      const double pulled = (excitation * force_length(state.fibre[0]) + parallel(state.fibre[0])) * 4000;
      const double resisted = 4000 * buffer(state.fibre[0]);
      EXPECT_NEAR(state.activation[0], excitation, 1e-9);
      EXPECT_NEAR(state.force[0], pulled - resisted, 5) << excitation << " " << length;
    }
  }
}

// Largest difference of force (F_max) to an explicit integrator with a tiny step that solves the balance exactly.
double worst_difference(double step) {
  const MuscleFibres fibres(std::span(&kSoleus, 1));
  const auto excited = [](double t) { return t < 0.1 ? 0.02 : t < 0.4 ? 0.9 : 0.1; };
  const auto length = [](double t) { return 0.3 + 0.008 * std::sin(8 * t); };
  MuscleState state = fibres.at_rest(vec1(length(0)));
  double a = state.activation[0], fibre = state.fibre[0], worst = 0, largest = 0;
  constexpr double kTiny = 1e-5;
  for (int i = 0; i * step < 0.6; ++i) {
    const double t = i * step;
    for (int k = 0; k < std::lround(step / kTiny); ++k) {
      a += kTiny * 100 * (excited(t) - a);
      fibre +=
          kTiny * kSoleus.max_speed * exact_speed(kSoleus, std::max(a, 0.01), fibre, length(t + k * kTiny));
    }
    fibres.step(vec1(excited(t)), vec1(length(t + step)), step, state);
    const double strain =
        (length(t + step) - fibre * kSoleus.fibre_length - kSoleus.tendon_slack) / kSoleus.tendon_slack;
    worst = std::max(worst, std::abs(state.force[0] / kSoleus.max_force - tendon(strain)));
    largest = std::max(largest, state.force[0] / kSoleus.max_force);
  }
  EXPECT_GT(largest, 0.6);
  return worst;
}

TEST(Muscle, ImplicitStepFollowsATinyStepIntegrator) {
  const double one = worst_difference(1e-3), quarter = worst_difference(2.5e-4);
  EXPECT_LT(one, 0.06);
  EXPECT_LT(quarter, 0.3 * one) << "of first order";
}

// Eight are stepped at a time: how many there are and who is beside whom changes nothing.
TEST(Muscle, ManyTogetherMoveAsEachAlone) {
  Random random(5);
  std::vector<Muscle> all;
  for (int i = 0; i < 19; ++i) {
    Muscle one = kSoleus;
    one.max_force = random.uniform(300, 6000);
    one.fibre_length = random.uniform(0.04, 0.15);
    one.tendon_slack = random.uniform(0.02, 0.3);
    one.max_speed = random.uniform(6, 12);
    all.push_back(one);
  }
  const MuscleFibres together(all);
  VecX length(19), excitation(19);
  const auto move = [&](int i, double part) {
    const Muscle& one = all[static_cast<std::size_t>(i)];
    length[i] = one.tendon_slack + one.fibre_length * (0.6 + 0.8 * part);
  };
  for (int i = 0; i < 19; ++i) move(i, 0.5);
  MuscleState state = together.at_rest(length);
  std::vector<MuscleState> alone;
  for (int i = 0; i < 19; ++i)
    alone.push_back(MuscleFibres(std::span(&all[static_cast<std::size_t>(i)], 1)).at_rest(vec1(length[i])));
  for (int step = 0; step < 60; ++step) {
    for (int i = 0; i < 19; ++i) {
      excitation[i] = random.uniform(-0.2, 1.2);
      move(i, 0.5 + 0.4 * std::sin(0.1 * step + i));
    }
    together.step(excitation, length, 0.00125, state);
    for (int i = 0; i < 19; ++i) {
      MuscleState& one = alone[static_cast<std::size_t>(i)];
      MuscleFibres(std::span(&all[static_cast<std::size_t>(i)], 1))
          .step(vec1(excitation[i]), vec1(length[i]), 0.00125, one);
      ASSERT_DOUBLE_EQ(one.force[0], state.force[i]) << i << " " << step;
      ASSERT_DOUBLE_EQ(one.fibre[0], state.fibre[i]);
    }
  }
}

// Released at a steady speed, a fully active muscle pulls as Hill's curve has it when its fibres pass their best length.
TEST(Muscle, QuickReleaseGivesHillsCurve) {
  Muscle stiff = kSoleus;
  stiff.tendon_slack = 0.001;  // little to stretch: the fibres go at the path's speed
  const MuscleFibres fibres(std::span(&stiff, 1));
  for (const double speed : {0.1, 0.3, 0.6}) {
    double length = stiff.tendon_slack + 1.3 * stiff.fibre_length;
    MuscleState state = fibres.at_rest(vec1(length));
    for (int i = 0; i < 2000; ++i) fibres.step(vec1(1), vec1(length), 0.001, state);
    while (state.fibre[0] > 1) {
      length -= 1e-4 * speed * stiff.max_speed * stiff.fibre_length;
      fibres.step(vec1(1), vec1(length), 1e-4, state);
    }
    EXPECT_NEAR(state.force[0] / 4000, (1 - speed) / (1 + 5 * speed), 0.02) << speed;
  }
}

// What the path takes in goes into the tendon and the fibres, nowhere else.
TEST(Muscle, WorkOfThePathIsThatOfFibresAndTendon) {
  const MuscleFibres fibres(std::span(&kSoleus, 1));
  const auto stored = [](double force) {  // integral of F_max (strain / 0.04)^2
    const double strain = kReference * std::sqrt(force / kSoleus.max_force);
    return kSoleus.max_force * kSoleus.tendon_slack * strain * strain * strain /
           (3 * kReference * kReference);
  };
  double length = 0.3, path_work = 0, fibre_work = 0;
  MuscleState state = fibres.at_rest(vec1(length));
  const double before = stored(state.force[0]);
  double gross = 0;
  for (int i = 0; i < 20000; ++i) {
    const double next = 0.3 + 0.006 * std::sin(i * 5e-4), force = state.force[0], fibre = state.fibre[0];
    fibres.step(vec1(i < 8000 ? 1 : 0.1), vec1(next), 5e-5, state);
    const double mean = 0.5 * (force + state.force[0]);
    path_work += mean * (next - length);
    gross += std::abs(mean * (next - length));
    fibre_work += mean * (state.fibre[0] - fibre) * kSoleus.fibre_length;
    length = next;
  }
  EXPECT_GT(gross, 5);
  EXPECT_NEAR(path_work, fibre_work + stored(state.force[0]) - before, 1e-3 * gross);
}

TEST(Muscle, StaysFiniteUnderWildInputsAndLongSteps) {
  Random random(3);
  const MuscleFibres fibres(std::span(&kSoleus, 1));
  MuscleState state = fibres.at_rest(vec1(0.3));
  for (int i = 0; i < 5000; ++i) {
    fibres.step(vec1(random.uniform(-1, 2)), vec1(random.uniform(0.25, 0.36)), 0.005, state);
    ASSERT_TRUE(std::isfinite(state.force[0]));
    ASSERT_GE(state.force[0], 0);
    ASSERT_LT(state.force[0], 1e6);
    ASSERT_GT(state.fibre[0], 0.05);
  }
}

// Hip to foot and arm to arm on a character with ball joints and hinges.
std::vector<Muscle> some_muscles(const Actor& actor, Random& random) {
  const std::vector<std::vector<std::string>> routes = {{"pelvis", "left_thigh"},
                                                        {"pelvis", "left_thigh", "left_shank", "left_foot"},
                                                        {"left_thigh", "left_thigh", "left_foot"},
                                                        {"left_forearm", "chest", "right_upper_arm"},
                                                        {"head", "chest", "pelvis"}};
  std::vector<Muscle> muscles;
  for (const auto& route : routes) {
    Muscle muscle = kSoleus;
    for (const std::string& name : route) {
      const int body = actor.find_body(name);
      EXPECT_GE(body, 0) << name;
      muscle.path.push_back({body, Vec3(random.normal(), random.normal(), random.normal()) * 0.1});
    }
    muscles.push_back(muscle);
  }
  return muscles;
}

TEST(Muscle, MomentArmsAreDerivativesOfLength) {
  const ActorPtr actor = Actor::load("humanoid");
  Random random(5);
  const std::vector<Muscle> muscles = some_muscles(*actor, random);
  MusclePaths paths(actor, muscles);
  ActorDynamics dynamics(actor);
  const auto at = [&](const VecX& q) {
    dynamics.set_state(q, VecX::Zero(actor->nv()));
    dynamics.com();
    mj_comPos(&actor->model(), &dynamics.data());
    paths.update(dynamics.data());
  };
  VecX q = actor->rest_q(), move(actor->nv()), moved, rate, torque = VecX::Zero(actor->nv());
  for (int i = 0; i < actor->nv(); ++i) move[i] = 0.4 * random.normal();
  integrate(*actor, actor->rest_q(), move, 1, q);
  for (int dof = 0; dof < actor->nv(); ++dof) {
    const VecX unit = VecX::Unit(actor->nv(), dof);
    constexpr double kSmall = 1e-6;
    integrate(*actor, q, unit, kSmall, moved);
    at(moved);
    const VecX more = paths.length();
    integrate(*actor, q, unit, -kSmall, moved);
    at(moved);
    const VecX less = paths.length();
    at(q);
    for (int m = 0; m < paths.size(); ++m)
      EXPECT_NEAR(paths.arm(m, dof), (more[m] - less[m]) / (2 * kSmall), 1e-7) << m << " " << dof;
  }
  // Virtual work: what the muscles' torques do is what their forces do along their paths.
  const VecX force = VecX::LinSpaced(paths.size(), 100, 900);
  paths.lengthening(move, rate);
  paths.add_torques(force, torque);
  EXPECT_NEAR(torque.dot(move), -force.dot(rate), 1e-9);
  EXPECT_EQ(torque.head<6>().norm(), 0) << "muscles are inner forces";
}

TEST(Muscle, MetabolicRateOfAnIsometricMuscle) {
  const MuscleFibres fibres(std::span(&kSoleus, 1));
  MuscleState state = fibres.at_rest(vec1(0.3));
  state.activation[0] = 1;
  state.fibre[0] = 1;
  state.speed[0] = 0;
  const double mass = 1059.7 / 250e3 * 4000 * 0.04;
  EXPECT_NEAR(metabolic_rate(fibres, vec1(1), state), mass * (0.5 * 173 + 0.5 * 185), 1e-6);
  state.speed[0] = -0.5;  // 0.12 m/s
  state.force[0] = 1000;
  EXPECT_NEAR(metabolic_rate(fibres, vec1(1), state), mass * (0.5 * 173 + 0.5 * 185) + 150, 1e-6);
}

TEST(Muscle, ImpossibleMusclesAreNamed) {
  const ActorPtr actor = Actor::load("humanoid");
  const int pelvis = actor->find_body("pelvis"), thigh = actor->find_body("left_thigh");
  const auto message = [&](Muscle muscle) -> std::string {
    try {
      check_muscle(muscle, *actor, "my.yaml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Muscle muscle = kSoleus;
  muscle.path = {{pelvis, Vec3::Zero()}, {thigh, Vec3::Zero()}};
  EXPECT_EQ(message(muscle), "");
  muscle.path.pop_back();
  EXPECT_EQ(message(muscle), "my.yaml: muscle soleus: found a path of 1 point, expected at least two points");
  muscle.path.push_back({pelvis, Vec3::Zero()});
  EXPECT_NE(message(muscle).find("crosses a joint"), std::string::npos);
  muscle.max_force = 0;
  EXPECT_NE(message(muscle).find("a strength of 0"), std::string::npos);
}

}  // namespace
}  // namespace stunt
