// What is special about the linearised world; what all engines share is in ../engine_test.cc.
#include "stunt/world/linearised/linearised_engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stunt/core/error.h"
#include "stunt/world/contact_answer.h"
#include "tests/test_performers.h"
#include "tests/test_scenes.h"

namespace stunt {
namespace {

using test::compile_yaml;

constexpr double kLinearisedStep = 1.0 / 120;

// The root's six equations at the start of a step, by MuJoCo's own functions: what is left of
// M dv/h + bias - contact - push, and the same of the true momentum of the whole body.
class Balance {
 public:
  explicit Balance(Engine& engine)
      : engine_(engine),
        m_(*engine.scene().model),
        data_(mj_makeData(&m_)),
        slot_(engine.scene().actors[0]) {}

  void before() {
    set();
    momentum_ = momentum();
    M_.resize(m_.nv, m_.nv);
    mj_fullM(&m_, data_.get(), M_.data());
    bias_.resize(m_.nv);
    mj_rne(&m_, data_.get(), 0, bias_.data());
    v_ = VecX::Map(engine_.v().data(), m_.nv);
  }
  // `push` on `body` at `place`. Both relative to the weight.
  void after(const Vec3& push, int body, const Vec3& place) {
    const double h = engine_.timestep(), weight = 9.81 * m_.body_subtreemass[slot_.first_body];
    VecX forces = VecX::Zero(m_.nv);
    Vec3 sum = push - weight * Vec3::UnitZ();
    add(push, body, place, forces);
    for (const Contact& contact : engine_.contacts()) {
      for_own_sides(contact, slot_, [&](int own, int, double sign) {
        add(sign * contact.force, slot_.first_body + own, contact.point, forces);
        sum += sign * contact.force;
      });
    }
    const VecX left = M_ * (VecX::Map(engine_.v().data(), m_.nv) - v_) / h + bias_ - forces;
    linear = left.segment<6>(slot_.first_v).norm() / weight;
    set();
    truly = ((momentum() - momentum_) / h - sum).norm() / weight;
  }
  double linear = 0, truly = 0;

 private:
  void set() {
    std::copy(engine_.q().begin(), engine_.q().end(), data_->qpos);
    std::copy(engine_.v().begin(), engine_.v().end(), data_->qvel);
    mj_fwdPosition(&m_, data_.get());
    mj_fwdVelocity(&m_, data_.get());
    mj_subtreeVel(&m_, data_.get());
  }
  Vec3 momentum() const {
    return m_.body_subtreemass[slot_.first_body] * vec3(data_->subtree_linvel + 3 * slot_.first_body);
  }
  void add(const Vec3& force, int body, const Vec3& point, VecX& forces) {
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> J(3, m_.nv);
    mj_jac(&m_, data_.get(), J.data(), nullptr, point.data(), body);
    forces += J.transpose() * force;
  }

  Engine& engine_;
  const mjModel& m_;
  DataPtr data_;
  const ActorSlot& slot_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M_;
  VecX bias_, v_;
  Vec3 momentum_ = Vec3::Zero();
};

// m dv/dt = contact + gravity + push, at every step of a pushed walk, whoever gives the torques.
class LinearisedBalance : public testing::TestWithParam<const char*> {};

TEST_P(LinearisedBalance, ForcesMakeTheMotion) {
  const auto running = test::simulation(std::string("engine: linearised\nduration: 2\n") +
                                        "actors: [{motion: walk, controller: " + GetParam() + "}]\n");
  Engine& engine = running->engine();
  EXPECT_EQ(engine.timestep(), kLinearisedStep);
  Balance balance(engine);
  const int chest = engine.scene().actors[0].first_body + 1;
  double worst_linear = 0, true_sum = 0;
  int steps = 0;
  for (; steps < 120; ++steps) {
    const Vec3 push = steps > 60 && steps < 70 ? Vec3(30, 60, 5) : Vec3::Zero();
    const Vec3 place = engine.body_position(chest) + Vec3(0, 0, 0.1);
    engine.apply_force(chest, push, place);
    balance.before();
    running->step();
    balance.after(push, chest, place);
    worst_linear = std::max(worst_linear, balance.linear);
    true_sum += balance.truly;
  }
  EXPECT_LT(worst_linear, 1e-10);
  RecordProperty("linear_balance", fmt::format("{:.1e}", worst_linear));
  RecordProperty("true_balance_percent", std::to_string(100 * true_sum / steps));
  EXPECT_LT(true_sum / steps, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Controllers, LinearisedBalance,
                         testing::Values("modal", "{type: modal, preset: paper}",
                                         "{type: modal, preset: linearised}"),
                         [](const auto& row) { return "Number" + std::to_string(row.index); });

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
