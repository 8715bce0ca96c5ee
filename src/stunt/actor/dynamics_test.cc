#include "stunt/actor/dynamics.h"

#include <gtest/gtest.h>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

constexpr double kStep = 1e-6;

class DynamicsTest : public testing::Test {
 protected:
  void SetUp() override { random_state(*actor_, random_, q_, v_); }

  // Central difference along the motion itself: how `value` changes per second while v stays constant.
  template <class Value>
  auto rate(Value value) {
    VecX ahead, behind;
    integrate(*actor_, q_, v_, kStep, ahead);
    integrate(*actor_, q_, v_, -kStep, behind);
    dynamics_.set_state(ahead, v_);
    const auto after = value();
    dynamics_.set_state(behind, v_);
    const auto before = value();
    dynamics_.set_state(q_, v_);
    return ((after - before) / (2 * kStep)).eval();
  }

  ActorPtr actor_ = sample_actor();
  ActorDynamics dynamics_{actor_};
  Random random_{7};
  VecX q_, v_;
  Jacobian J_;
};

TEST_F(DynamicsTest, PointJacobianIsTheDerivativeOfThePoint) {
  const int foot = actor_->body(Role::left_foot);
  const Vec3 local(0.1, 0.02, -0.05);
  const Vec3 by_difference = rate([&] { return dynamics_.point(foot, local); });
  const Vec3 point = dynamics_.point(foot, local);
  dynamics_.point_jacobian(foot, point, J_);
  EXPECT_LT((J_ * v_ - by_difference).norm(), 1e-7);
  EXPECT_LT((dynamics_.point_velocity(foot, point) - J_ * v_).norm(), 1e-12);
}

TEST_F(DynamicsTest, BiasAccelerationIsTheVelocityProduct) {
  const int arm = actor_->body(Role::left_forearm);
  const Vec3 local(0.02, 0.01, -0.2);
  const Vec3 by_difference = rate([&] { return dynamics_.point_velocity(arm, dynamics_.point(arm, local)); });
  const Vec3 point = dynamics_.point(arm, local);
  EXPECT_LT((dynamics_.point_bias_acceleration(arm, point) - by_difference).norm(), 1e-5);
  // And MuJoCo's own J-dot.
  Jacobian J_dot(3, actor_->nv());
  mj_jacDot(&actor_->model(), &dynamics_.data(), J_dot.data(), nullptr, point.data(), arm + 1);
  EXPECT_LT((J_dot * v_ - dynamics_.point_bias_acceleration(arm, point)).norm(), 1e-9);

  const Vec3 spin = rate([&] { return dynamics_.body_angular_velocity(arm); });
  EXPECT_LT((dynamics_.rotation_bias_acceleration(arm) - spin).norm(), 1e-5);
  dynamics_.rotation_jacobian(arm, J_);
  EXPECT_LT((J_ * v_ - dynamics_.body_angular_velocity(arm)).norm(), 1e-12);
}

TEST_F(DynamicsTest, CentreOfMass) {
  const Vec3 velocity = rate([&] { return dynamics_.com(); });
  const Vec3 acceleration = rate([&] { return dynamics_.com_velocity(); });
  EXPECT_LT((dynamics_.com_velocity() - velocity).norm(), 1e-7);
  EXPECT_LT((dynamics_.com_bias_acceleration() - acceleration).norm(), 1e-5);
  dynamics_.com_jacobian(J_);
  EXPECT_LT((J_ * v_ - dynamics_.com_velocity()).norm(), 1e-12);
}

TEST_F(DynamicsTest, InverseDynamicsIsMassTimesAccelerationPlusBias) {
  dynamics_.set_state(q_, v_);
  const VecX a = VecX::NullaryExpr(actor_->nv(), [&] { return random_.uniform(-20, 20); });
  VecX tau;
  dynamics_.inverse_dynamics(a, tau);
  EXPECT_LT((tau - dynamics_.mass_matrix() * a - dynamics_.bias()).norm(), 1e-9 * tau.norm());
}

TEST_F(DynamicsTest, MomentumFollowsFromTheMassMatrix) {
  dynamics_.set_state(q_, v_);
  // The root's translation rows of M v are the linear momentum (armature acts on joints only).
  const VecX momentum = dynamics_.mass_matrix() * v_;
  EXPECT_LT((momentum.head<3>() - dynamics_.linear_momentum()).norm(), 1e-9);
  dynamics_.angular_momentum_matrix(J_);
  EXPECT_LT((J_ * v_ - dynamics_.angular_momentum()).norm(), 1e-10);
}

TEST_F(DynamicsTest, KineticEnergyIsTheSumOverBodies) {
  dynamics_.set_state(q_, v_);
  const mjModel& m = actor_->model();
  double energy = 0;
  for (int b = 1; b < m.nbody; ++b) {
    const Vec3 centre = dynamics_.point(b - 1, actor_->bodies()[b - 1].com);
    const Vec3 omega = dynamics_.body_rotation(b - 1).conjugate() * dynamics_.body_angular_velocity(b - 1);
    energy += 0.5 * m.body_mass[b] * dynamics_.point_velocity(b - 1, centre).squaredNorm();
    energy += 0.5 * omega.dot(actor_->bodies()[b - 1].inertia * omega);
  }
  for (int i = 0; i < m.nv; ++i) energy += 0.5 * m.dof_armature[i] * v_[i] * v_[i];
  EXPECT_NEAR(dynamics_.kinetic_energy(), energy, 1e-9 * energy);
}

TEST_F(DynamicsTest, FreeFallConservesAngularMomentumAndAcceleratesWithGravity) {
  dynamics_.set_state(q_, v_);
  const VecX a = dynamics_.mass_matrix().ldlt().solve(-dynamics_.bias());
  dynamics_.com_jacobian(J_);
  EXPECT_LT((J_ * a + dynamics_.com_bias_acceleration() - Vec3(0, 0, -9.81)).norm(), 1e-8);
}

TEST_F(DynamicsTest, GravityBiasIsTheBiasAtRest) {
  dynamics_.set_state(q_, v_);
  const VecX moving = dynamics_.bias();
  const VecX gravity = dynamics_.gravity_bias();
  EXPECT_LT((dynamics_.bias() - moving).norm(), 1e-12);
  const Vec3 velocity = dynamics_.com_velocity();  // velocities are still there
  dynamics_.set_state(q_, VecX::Zero(actor_->nv()));
  EXPECT_LT((dynamics_.bias() - gravity).norm(), 1e-10);
  EXPECT_GT(velocity.norm(), 1e-3);
}

TEST_F(DynamicsTest, CompositeInertiaIsTheMassMatrixBlockOfABallJoint) {
  dynamics_.set_state(q_, v_);
  for (std::size_t j = 0; j < actor_->joints().size(); ++j) {
    const ActorJoint& joint = actor_->joints()[j];
    if (joint.type != JointType::ball) continue;
    const Mat3 axes = dynamics_.body_rotation(joint.body).toRotationMatrix();
    const Mat3 expected = axes.transpose() * dynamics_.composite_inertia(static_cast<int>(j)) * axes;
    Mat3 block = dynamics_.mass_matrix().block<3, 3>(joint.v_address, joint.v_address);
    block.diagonal().array() -= 0.01;  // armature
    EXPECT_LT((block - expected).norm(), 1e-10) << joint.name;
  }
}

}  // namespace
}  // namespace stunt
