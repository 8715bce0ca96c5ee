#include "stunt/control/controllers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stunt/control/fall/fall.h"
#include "stunt/control/hit_react/hit_react.h"
#include "stunt/control/hit_react/hit_react_paper.h"
#include "stunt/control/jacobian_transpose/jacobian_transpose.h"
#include "stunt/control/mcsim/mcsim.h"
#include "stunt/control/mcsim/mcsim_paper.h"
#include "stunt/control/modal/modal.h"
#include "stunt/control/muscle/muscle_gait.h"
#include "stunt/control/pd/pd.h"
#include "stunt/control/ragdoll/ragdoll.h"
#include "stunt/core/error.h"

namespace stunt {

// Most controllers follow what they are given.
template <typename Settings>
static ReferenceWishes reference_wishes(const Settings&) {
  return {};
}

// Most begin where their reference does.
template <typename Settings>
static std::optional<StartPose> start_pose(const Settings&, const Actor&) {
  return {};
}

namespace {

template <typename Settings>
class SettingsOf : public ControllerSettings {
 public:
  std::unique_ptr<ControllerSettings> copy() const override { return std::make_unique<SettingsOf>(*this); }
  void describe(Fields& fields) override { stunt::describe(fields, values_); }
  ReferenceWishes wishes() const override { return reference_wishes(values_); }
  std::optional<StartPose> start(const Actor& actor) const override { return start_pose(values_, actor); }
  std::unique_ptr<Controller> make(const ControllerTask& task) const override {
    return make_controller(values_, task);
  }

 private:
  Settings values_;
};

template <typename Settings>
ControllerPreset preset(const char* name, const char* help) {
  return {name, help,
          [] { return std::unique_ptr<ControllerSettings>(std::make_unique<SettingsOf<Settings>>()); }};
}

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

template <typename Named>
const Named& find(const std::vector<Named>& all, const std::string& name, const char* what) {
  for (const Named& one : all) {
    if (one.name == name) return one;
  }
  throw InputError(what, "'" + name + "'", fmt::format("one of: {}", fmt::join(names_of(all), ", ")));
}

}  // namespace

const std::vector<ControllerKind>& controllers() {
  static const std::vector<ControllerKind> table = {
      {"mcsim",
       "plans torques and ground forces together, keeps its balance",
       {preset<McSimSettings>("default", "made to keep its balance in 3D"),
        preset<McSimPaperSettings>("paper", "as published")}},
      {"modal",
       "plans contact forces and soft modes of the body over a window of time, keeps its balance",
       {preset<ModalSettings>("default", "torques for any engine, with the reference's contacts"),
        preset<ModalPaperSettings>("paper", "as published, and falls; for engine linearised"),
        preset<ModalLinearisedSettings>("linearised", "the same with what makes it track on that engine")}},
      {"pd",
       "follows every joint by a spring and damper scaled by inertia; no balance of its own",
       {preset<PdSettings>("default", "stable, with gravity compensated")}},
      {"hit_react",
       "follows a motion, gives way where it is hit, and comes back",
       {preset<HitReactSettings>("default", "balance as mcsim has it, with a plan that knows the blow"),
        preset<HitReactPaperSettings>("paper", "as published: springs at the joints, balance by the legs")}},
      {"jacobian_transpose",
       "springs in the joints, virtual forces for balance; its numbers can be optimised",
       {preset<JacobianTransposeSettings>("default", "one set for motions on the spot"),
        preset<JacobianTransposePaperSettings>("paper", "as published; wants a timestep of 0.0003")}},
      {"muscle",
       "walks by muscles and reflexes alone, without a motion; for creatures (`stunt optimize gait`)",
       {preset<MuscleGaitSettings>("default", "the general guess, until a gait is found")}},
      {"fall",
       "lets itself fall, and falls well: arms out, knees giving way, rolled up",
       {preset<FallSettings>("default", "one set of numbers for every body")}},
      {"ragdoll",
       "no torques at all: the body falls as it may",
       {preset<RagdollSettings>("default", "joints damped a little")}}};
  return table;
}

ControllerSpec::ControllerSpec() : ControllerSpec(controllers().front().name) {}

ControllerSpec::ControllerSpec(const std::string& kind, const std::string& preset) : kind_(kind) {
  const ControllerKind& found = find(controllers(), kind, "controller");
  preset_ = preset.empty() ? found.presets.front().name : preset;
  settings_ = find(found.presets, preset_, "preset").settings();
}

ControllerSpec::ControllerSpec(const ControllerSpec& other)
    : help(other.help), kind_(other.kind_), preset_(other.preset_), settings_(other.settings_->copy()) {}

ControllerSpec& ControllerSpec::operator=(const ControllerSpec& other) {
  if (this != &other) {
    help = other.help;
    kind_ = other.kind_;
    preset_ = other.preset_;
    settings_ = other.settings_->copy();
  }
  return *this;
}

void describe(Fields& fields, ControllerSpec& spec) {
  std::string kind = spec.kind_;
  fields("type", kind, {.help = "which; see `stunt controllers`", .choices = names_of(controllers())});
  const std::vector<ControllerPreset>& presets = find(controllers(), kind, "controller").presets;
  std::string preset = kind == spec.kind_ ? spec.preset_ : presets.front().name;
  fields("preset", preset, {.help = "a named set of its settings", .choices = names_of(presets)});
  if (kind != spec.kind_ || preset != spec.preset_) {
    const RootHelpSettings help = spec.help;
    spec = ControllerSpec(kind, preset);
    spec.help = help;
  }
  describe(fields, spec.help);
  spec.settings_->describe(fields);
}

std::unique_ptr<Controller> make_controller(const ControllerSpec& spec, ReferencePtr reference,
                                            double friction) {
  if (!reference->actor()->has_free_root() && (spec.help.pedestal || spec.help.assist > 0)) {
    throw InputError("controller", "pedestal or assist for a character whose root is not free", "neither");
  }
  auto controller =
      spec.settings().make({.reference = reference, .friction = friction, .on_pedestal = spec.help.pedestal});
  return supported(std::move(controller), spec.help, std::move(reference));
}

}  // namespace stunt
