// What is special about the linearised world; what all engines share is in ../engine_test.cc.
#include "stunt/world/linearised/linearised_engine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/core/error.h"
#include "stunt/world/contact_answer.h"
#include "tests/test_scenes.h"

namespace stunt {
namespace {

using test::compile_yaml;

AsksForAnswer& asking(Engine& engine) { return dynamic_cast<AsksForAnswer&>(engine); }

// An answer that is known, written down.
class FixedAnswer final : public ContactAnswer {
 public:
  void answer(std::span<const AnsweredPoint> points, Eigen::Ref<MatX> X, Eigen::Ref<VecX> constant) override {
    asked = static_cast<int>(points.size());
    for (int i = 6; i < constant.size(); ++i) {
      constant[i] = 0.1 * i;
      for (int column = 0; column < X.cols(); ++column) X(i, column) = 0.002 * std::sin(i + 3.0 * column);
    }
    coefficients = X;
    offset = constant;
  }
  int asked = 0;
  MatX coefficients;
  VecX offset;
};

TEST(Linearised, TorquesAnswerToContactForces) {
  const auto scene = compile_yaml("engine: linearised\nactors: [{name: a, motion: x}]");
  const auto answered = make_linearised_engine(scene), plain = make_linearised_engine(scene);
  std::vector<double> q(answered->q().begin(), answered->q().end()), v(answered->v().size());
  q[2] = 0.62;  // the left foot's toe and heel meet the ground in this step
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 0.1 * std::sin(2.0 * static_cast<double>(i));
  v[2] = -0.5;
  answered->set_state(q, v);
  plain->set_state(q, v);
  FixedAnswer answer;
  asking(*answered).set_contact_answer(0, &answer);
  answered->step();
  ASSERT_GT(answer.asked, 0);
  ASSERT_FALSE(answered->contacts().empty());
  // The same torques, given from the beginning to an engine that asks nobody, lead to the same motion.
  VecX forces = VecX::Zero(3 * answer.asked);
  ASSERT_EQ(static_cast<int>(answered->contacts().size()), answer.asked);  // all of them push
  for (int i = 0; i < answer.asked; ++i) forces.segment<3>(3 * i) = answered->contacts()[i].force;
  const VecX torque = answer.offset + answer.coefficients * forces;
  EXPECT_GT(torque.norm(), answer.offset.norm() * 0.5);
  std::copy(torque.begin(), torque.end(), plain->joint_forces().begin());
  plain->step();
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(plain->v()[i], answered->v()[i], 1e-5) << i;
}

TEST(Linearised, OnlyOneCharacterMayAnswer) {
  const auto engine = make_linearised_engine(compile_yaml(
      "engine: linearised\nactors: [{name: a, motion: x}, {name: b, motion: x, position: [2, 0]}]"));
  FixedAnswer first, second;
  asking(*engine).set_contact_answer(0, &first);
  EXPECT_THROW(asking(*engine).set_contact_answer(1, &second), InputError);
  asking(*engine).set_contact_answer(0, nullptr);
  EXPECT_NO_THROW(asking(*engine).set_contact_answer(1, &second));
}

TEST(Linearised, HasNoSpringContacts) {
  EXPECT_THROW(make_linearised_engine(compile_yaml("engine: ode\ncontact: {mode: springs}")), InputError);
}

}  // namespace
}  // namespace stunt
