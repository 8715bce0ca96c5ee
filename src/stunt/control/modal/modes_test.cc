#include "stunt/control/modal/modes.h"

#include <gtest/gtest.h>

#include "stunt/core/random.h"

namespace stunt {
namespace {

struct Posed {
  ActorPtr actor;
  VecX stiffness;
  ActorDynamics dynamics;
  Modes modes;
  VecX q, v;

  explicit Posed(const std::string& character, std::uint64_t seed)
      : actor(Actor::load(character)),
        stiffness(paper_joint_stiffness(*actor)),
        dynamics(actor),
        modes(*actor, stiffness) {
    Random random(seed);
    VecX change(actor->nv());
    v = VecX::Zero(actor->nv());
    for (int i = 0; i < actor->nv(); ++i) {
      change[i] = random.uniform(-0.5, 0.5);
      v[i] = random.uniform(-2, 2);
    }
    q = actor->rest_q();
    integrate(*actor, actor->rest_q(), change, 1, q);
    dynamics.set_state(q, v);
    modes.compute(dynamics);
  }
  // Phi, rigid modes first.
  MatX phi() const {
    MatX all = MatX::Zero(modes.size(), modes.size());
    all.topLeftCorner(6, 6) = modes.rigid_shapes();
    all.rightCols(modes.size() - 6) = modes.shapes();
    return all;
  }
};

class ModesTest : public testing::TestWithParam<const char*> {};

TEST_P(ModesTest, DiagonaliseMassAndStiffness) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    Posed body(GetParam(), seed);
    const MatX phi = body.phi();
    const MatX mass = phi.transpose() * body.dynamics.mass_matrix() * phi;
    EXPECT_LT((mass - MatX::Identity(mass.rows(), mass.cols())).cwiseAbs().maxCoeff(), 1e-9);
    MatX stiffness = phi.transpose() * body.stiffness.asDiagonal() * phi;
    for (int m = 0; m < body.modes.size(); ++m) {
      const double expected = m < 6 ? 0 : body.modes.squared_frequency(m - 6);
      EXPECT_NEAR(stiffness(m, m), expected, 1e-8 * (1 + expected));
      stiffness(m, m) = 0;
      EXPECT_GE(expected, m > 6 ? body.modes.squared_frequency(m - 7) : 0);
    }
    EXPECT_LT(stiffness.cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST_P(ModesTest, RigidModesAreCentreOfMassAndSpin) {
  Posed body(GetParam(), 7);
  const Eigen::Matrix<double, 6, 1> rate =
      body.modes.rigid_shapes().transpose() * (body.dynamics.mass_matrix() * body.v).head<6>();
  EXPECT_LT((rate.head<3>() - body.modes.root_mass() * body.dynamics.com_velocity()).norm(), 1e-9);
  EXPECT_LT((rate.tail<3>() - body.modes.turn(body.dynamics.angular_momentum())).norm(), 1e-9);
  // What a force does, through the Jacobian.
  const Vec3 point = body.dynamics.body_position(2), force(3, -20, 50);
  Jacobian J(3, body.modes.size());
  body.dynamics.point_jacobian(0, point, J);
  const VecX generalised = J.transpose() * force;
  EXPECT_LT((body.modes.wrench(point) * force - body.modes.rigid_shapes().transpose() * generalised.head<6>())
                .norm(),
            1e-9);
}

TEST_P(ModesTest, CoordinatesAndTorquesGoThereAndBack) {
  Posed body(GetParam(), 5);
  const int joints = body.modes.size() - 6;
  VecX p(joints), tau(body.modes.size()), back(joints);
  body.modes.to_modes(body.v, p);
  EXPECT_LT((p - body.modes.shapes().transpose() * body.dynamics.mass_matrix() * body.v).norm(), 1e-9);
  body.modes.to_torques(p, tau);
  EXPECT_EQ(tau.head<6>(), (Eigen::Matrix<double, 6, 1>::Zero()));
  body.modes.force_to_modes(tau, back);
  EXPECT_LT((back - p).norm(), 1e-9);
}

TEST(Modes, StiffnessIsTheMassThatHangsOnAJoint) {
  const ActorPtr actor = Actor::load("biped28");
  const VecX stiffness = paper_joint_stiffness(*actor);
  EXPECT_EQ(stiffness.head<6>().norm(), 0);
  EXPECT_GT(stiffness.tail(actor->nv() - 6).minCoeff(), 0);
  EXPECT_LT(stiffness.maxCoeff(), actor->mass());
}

INSTANTIATE_TEST_SUITE_P(Characters, ModesTest, testing::Values("biped28", "humanoid", "mcsim3d"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace stunt
