#include "stunt/experiment/modal_balance.h"

#include <algorithm>

#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

// The character at a state of the engine, by MuJoCo's own functions on the engine's own model.
class SeenBody {
 public:
  SeenBody(Engine& engine, const ActorSlot& slot)
      : engine_(engine), m_(*engine.scene().model), data_(mj_makeData(&m_)), slot_(slot) {}

  void look() {
    std::copy(engine_.q().begin(), engine_.q().end(), data_->qpos);
    std::copy(engine_.v().begin(), engine_.v().end(), data_->qvel);
    mj_fwdPosition(&m_, data_.get());
    mj_fwdVelocity(&m_, data_.get());
    mj_subtreeVel(&m_, data_.get());
  }
  double mass() const { return m_.body_subtreemass[slot_.first_body]; }
  Vec3 momentum() const { return mass() * vec3(data_->subtree_linvel + 3 * slot_.first_body); }
  Vec3 place(int body) const { return vec3(data_->xpos + 3 * body); }
  // M a + bias, all of the scene's entries.
  VecX needed(const VecX& acceleration) const {
    VecX out(m_.nv), bias(m_.nv);
    mj_mulM(&m_, data_.get(), out.data(), acceleration.data());
    mj_rne(&m_, data_.get(), 0, bias.data());
    return out + bias;
  }
  void add(const Vec3& force, int body, const Vec3& point, VecX& forces) const {
    RowMatX jacobian(3, m_.nv);
    mj_jac(&m_, data_.get(), jacobian.data(), nullptr, point.data(), body);
    forces += jacobian.transpose() * force;
  }

 private:
  Engine& engine_;
  const mjModel& m_;
  DataPtr data_;
  const ActorSlot& slot_;
};

}  // namespace

MomentumBalance momentum_balance(const Scene& scene) {
  constexpr int kPushed = 10;  // steps
  const Vec3 push(30, 60, 5);  // N
  Simulation simulation(scene);
  Engine& engine = simulation.engine();
  const Simulation::Act& act = simulation.acts().at(0);
  const ActorSlot& slot = act.slot;
  SeenBody before(engine, slot), after(engine, slot);
  const double h = engine.timestep();
  const double weight = before.mass() * act.performer.actor->gravity();
  const int chest = slot.first_body + std::max(0, act.performer.actor->body(Role::chest));
  const int every = std::max(1, static_cast<int>(1 / h)), nv = engine.scene().model->nv;
  MomentumBalance found;
  int steps = 0;
  for (; !simulation.done() && !act.falling.begun(); ++steps) {
    before.look();
    VecX forces = VecX::Zero(nv);
    Vec3 sum(0, 0, -weight);
    const auto add = [&](const Vec3& force, int body, const Vec3& point) {
      before.add(force, body, point, forces);
      sum += force;
    };
    if (steps % every < kPushed) {
      engine.apply_force(chest, push, before.place(chest));
      add(push, chest, before.place(chest));
    }
    const VecX v = VecX::Map(engine.v().data(), nv);
    simulation.step();
    for (const Contact& contact : engine.contacts()) {
      for_own_sides(contact, slot, [&](int own, int, double sign) {
        add(sign * contact.force, slot.first_body + own, contact.point);
      });
    }
    after.look();
    const VecX left = before.needed((VecX::Map(engine.v().data(), nv) - v) / h) - forces;
    found.linear_worst = std::max(found.linear_worst, left.segment<6>(slot.first_v).norm() / weight);
    const double truly = ((after.momentum() - before.momentum()) / h - sum).norm() / weight;
    found.true_mean += truly;
    found.true_worst = std::max(found.true_worst, truly);
  }
  found.true_mean /= std::max(steps, 1);
  found.seconds = steps * h;
  return found;
}

}  // namespace stunt
