#include "stunt/world/ode/ode_grips.h"

namespace stunt {
namespace {

constexpr double kErp = 0.2;   // of an error that is mended in a step: as soon as in MuJoCo
constexpr double kCfm = 1e-8;  // s/kg: next to no give

}  // namespace

// The joints live as long as the world, which destroys them.
OdeGrips::OdeGrips(const OdeModel& model)
    : model_(model),
      states_(model.scene().grips.size()),
      feedback_(states_.size()),
      points_(states_.size(), Vec3::Zero()) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const dJointID joint = dJointCreateBall(model.world(), nullptr);
    dJointSetBallParam(joint, dParamERP, kErp);
    dJointSetBallParam(joint, dParamCFM, kCfm);
    dJointSetFeedback(joint, &feedback_[i]);
    joints_.push_back(joint);
  }
}

void OdeGrips::close(int grip, const Vec3& on_hand, const Vec3& on_object) {
  const auto i = static_cast<std::size_t>(grip);
  const bool was_closed = states_[i].closed;
  states_[i] = {true, on_hand, on_object};
  if (!was_closed) attach_all();
}

void OdeGrips::open(int grip) {
  states_[static_cast<std::size_t>(grip)].closed = false;
  attach_all();
}

// All of them in their order, whatever happened before: the order of a body's joints decides the solver's last bits.
void OdeGrips::attach_all() {
  for (const dJointID joint : joints_) dJointAttach(joint, nullptr, nullptr);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (!states_[i].closed) continue;
    const GripSlot& slot = model_.scene().grips[i];
    const int object = model_.link_of(slot.object);
    dJointAttach(joints_[i], model_.links()[static_cast<std::size_t>(model_.link_of(slot.hand))].body,
                 object < 0 ? nullptr : model_.links()[static_cast<std::size_t>(object)].body);
  }
}

Vec3 OdeGrips::held_point(std::size_t grip) const {
  const int object = model_.scene().grips[grip].object;
  return model_.position(object) + model_.rotation(object) * states_[grip].on_object;
}

void OdeGrips::place(std::size_t grip) {
  const int hand = model_.scene().grips[grip].hand;
  const Vec3 on_hand = model_.position(hand) + model_.rotation(hand) * states_[grip].on_hand;
  const Vec3 on_object = held_point(grip);
  dJointSetBallAnchor(joints_[grip], on_hand.x(), on_hand.y(), on_hand.z());
  // ODE takes the second place in the axes of the second body, where there is one.
  dVector3 second = {on_object.x(), on_object.y(), on_object.z(), 0};
  if (const dBodyID held = dJointGetBody(joints_[grip], 1))
    dBodyGetPosRelPoint(held, on_object.x(), on_object.y(), on_object.z(), second);
  dJointSetBallAnchor2(joints_[grip], second[0], second[1], second[2]);
}

// ODE keeps the places as it rounds them when they are set. Set before every step, they do not depend on when the grip
// was closed, and a restored run repeats bit for bit.
void OdeGrips::prepare() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!states_[i].closed) continue;
    place(i);
    points_[i] = held_point(i);
  }
}

void OdeGrips::collect(std::vector<Contact>& contacts) const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!states_[i].closed) continue;
    const GripSlot& slot = model_.scene().grips[i];
    const Vec3 force = ode_vec(feedback_[i].f1);
    contacts.push_back({slot.object, slot.hand, points_[i],
                        force.squaredNorm() > 0 ? Vec3(force.normalized()) : Vec3(Vec3::UnitZ()), force, 0,
                        static_cast<int>(i)});
  }
}

const double* OdeGrips::restore(const double* values) {
  values = take_grips(values, states_);
  attach_all();
  return values;
}

}  // namespace stunt
