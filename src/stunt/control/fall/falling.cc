#include "stunt/control/fall/falling.h"

#include "stunt/control/ragdoll/ragdoll.h"

namespace stunt {
namespace {

constexpr double kLargestStiffChange = 0.2;  // of a joint's speed, in a step

// Holds the pose in which it was when the fall began, with all its strength.
class StiffController : public Controller {
 public:
  explicit StiffController(ActorPtr actor) : actor_(std::move(actor)), dynamics_(actor_) {}
  void reset(const Observation& start) override { pose_ = start.q; }
  void actuate(const Observation& now, Actuation& out) override {
    constexpr double kStiffness = 20, kDamping = 0.5;  // 1/rad, s/rad: in units of each joint's strength
    out.excitation.setZero();
    difference(*actor_, now.q, pose_, error_);
    dynamics_.set_state(now.q, now.v);
    const RowMatX& mass = dynamics_.mass_matrix();
    for (int i = actor_->root_dofs(); i < actor_->nv(); ++i) {
      const double strength = actor_->torque_limits()[i], inertia = mass(i, i), h = now.timestep;
      out.torque[i] =
          std::min(kStiffness * strength, 0.1 * kLargestStiffChange * inertia / (h * h)) * error_[i] -
          std::min(kDamping * strength, kLargestStiffChange * inertia / h) * now.v[i];
    }
  }
  std::any save() const override { return pose_; }
  void restore(const std::any& memory) override { pose_ = std::any_cast<const VecX&>(memory); }

 private:
  ActorPtr actor_;
  ActorDynamics dynamics_;
  VecX pose_, error_;
};

std::unique_ptr<Controller> faller(const FallingSpec& spec, const ActorPtr& actor) {
  if (spec.how == "protect") return std::make_unique<FallController>(spec.protect, actor);
  if (spec.how == "stiff") return std::make_unique<StiffController>(actor);
  return std::make_unique<RagdollController>(RagdollSettings{}, actor);
}

}  // namespace

void describe(Fields& fields, FallingSpec& falling) {
  fields(
      "how", falling.how,
      {.help =
           "limp: without torques; stiff: holding its pose; protect: arms out, knees giving way, rolled up",
       .choices = {"limp", "stiff", "protect"}});
  fields(
      "foreseen", falling.foreseen,
      {.help = "as soon as balance cannot be saved; no: once it is down, until then its controller fights"});
  fields.group("protect", falling.protect, "how it falls with `how: protect`");
  fields.group("foresight", falling.foresight, "what shows that balance cannot be saved");
}

Falling::Falling(const FallingSpec& spec, ReferencePtr reference)
    : spec_(spec), controller_(faller(spec, reference->actor())) {
  if (spec.foreseen) foresight_ = std::make_unique<Foresight>(spec.foresight, std::move(reference));
}

void Falling::follow(ReferencePtr reference) {
  if (!foresight_) return;
  const Foresight::State state = foresight_->state;
  foresight_ = std::make_unique<Foresight>(spec_.foresight, std::move(reference));
  foresight_->state = state;
}

void Falling::begin(const Observation& now) {
  memory_.since = now.time;
  controller_->reset(now);
}

bool Falling::take_over(const Observation& now, bool down, Actuation& out) {
  if (memory_.since < 0) {
    if (foresight_) foresight_->look(now);
    if (!down && !(foresight_ && foresight_->will_fall())) return false;
    begin(now);
  }
  out.torque.setZero();
  controller_->actuate(now, out);
  out.excitation.setZero();
  return true;
}

void Falling::forget() {
  memory_ = {};
  if (foresight_) foresight_->state = {};
}

std::any Falling::save() const {
  Memory memory{memory_.since, {}, controller_->save()};
  if (foresight_) memory.foresight = foresight_->state;
  return memory;
}

void Falling::restore(const std::any& saved) {
  memory_ = std::any_cast<const Memory&>(saved);
  if (foresight_) foresight_->state = memory_.foresight;
  if (memory_.controller.has_value()) controller_->restore(memory_.controller);
}

}  // namespace stunt
