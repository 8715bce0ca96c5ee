#include "stunt/assess/injury/injury.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "stunt/actor/dynamics.h"
#include "stunt/assess/injury/gauge.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kG = 9.80665;  // m/s^2

// Mertz 1984 (Injury assessment values used to evaluate Hybrid III response measurements), mid-size male.
const Corridor kNeckTension = {{0, 3.3}, {0.035, 2.9}, {0.06, 1.1}};
const Corridor kNeckCompression = {{0, 4.0}, {0.03, 1.1}};
const Corridor kFemurCompression = {{0, 9.07}, {0.01, 7.56}};
// Nij, Hybrid III mid-size male, FMVSS 208.
constexpr double kNijTension = 6806, kNijCompression = 6160;  // N
constexpr double kNijFlexion = 310, kNijExtension = 135;      // Nm

}  // namespace

InjuryPreset injury_preset(const std::string& name) {
  if (name == "default") return InjuryPreset::standard;
  if (name == "paper") return InjuryPreset::paper;
  throw InputError("injury", "'" + name + "'", "default or paper");
}

struct InjuryMeter::Parts {
  struct Named {
    std::string name, symbol;
    std::function<double(Engine&)> quantity;
    Gauge gauge;
  };
  // A bone: the body it belongs to, and its direction in that body's axes.
  struct Bone {
    int body;        // of the actor; -1: none
    Vec3 direction;  // unit, from its own joint to the next
  };

  Parts(const ActorSlot& its, double timestep, InjuryPreset which)
      : slot(its), h(timestep), preset(which), rest(its.actor) {
    const Actor& actor = *slot.actor;
    const bool paper = preset == InjuryPreset::paper;
    head = actor.body(Role::head);
    if (head >= 0) {
      add("head", "D_H", acceleration(head), Gauge::head(700, paper, h));
      up = rest.body_rotation(head).conjugate() *
           (rest.point(head, actor.bodies()[at(head)].com) - rest.body_position(head)).normalized();
      left = rest.body_rotation(head).conjugate() * Vec3::UnitY();
      const double times = paper ? 2 : 1;
      const Bone neck{head, up};
      add("neck compression", "D_NC", along(head, neck, times),
          paper ? Gauge::mean(0.030, 4.0, h) : Gauge::corridor(kNeckCompression, h));
      add("neck tension", "D_NT", along(head, neck, -times),
          paper ? Gauge::mean(0.035, 3.3, h) : Gauge::corridor(kNeckTension, h));
    }
    const int chest = actor.body(Role::chest) >= 0 ? actor.body(Role::chest) : actor.body(Role::spine);
    if (chest >= 0) add("chest", "D_C", acceleration(chest), level(0.003, 60));
    const int pelvis = actor.body(Role::pelvis) >= 0 ? actor.body(Role::pelvis) : 0;
    add("pelvis", "D_PE", acceleration(pelvis), level(0.003, 130));
    using R = Role;
    both_sides(
        "wrist", "D_W",
        [&](bool l) -> std::function<double(Engine&)> {
          const int hand = actor.body(l ? R::left_hand : R::right_hand);
          return paper ? twice_the_force(hand)
                       : along(hand, bone(l ? R::left_forearm : R::right_forearm, hand));
        },
        [&] { return level(0.010, 8.0); });
    both_sides(
        "femur, along", "D_FA",
        [&](bool l) -> std::function<double(Engine&)> {
          const int shank = actor.body(l ? R::left_shank : R::right_shank);
          const Bone thigh = bone(l ? R::left_thigh : R::right_thigh, shank);
          return paper ? mass_times_acceleration(thigh, true) : along(shank, thigh);
        },
        [&] { return paper ? Gauge::mean(0.010, 9.1, h) : Gauge::corridor(kFemurCompression, h); });
    both_sides(
        "femur, across", "D_FP",
        [&](bool l) -> std::function<double(Engine&)> {
          const int shank = actor.body(l ? R::left_shank : R::right_shank);
          const Bone thigh = bone(l ? R::left_thigh : R::right_thigh, shank);
          return paper ? mass_times_acceleration(thigh, false) : across(shank, thigh);
        },
        [&] { return level(0.003, 3.9); });
    both_sides(
        "tibia", "D_T",
        [&](bool l) -> std::function<double(Engine&)> {
          const int shank = actor.body(l ? R::left_shank : R::right_shank);
          const Bone shin =
              bone(l ? R::left_shank : R::right_shank, actor.body(l ? R::left_foot : R::right_foot));
          return paper ? mass_times_acceleration(shin, true) : along(shank, shin);
        },
        [&] { return level(0.010, 8.0); });
    both_sides(
        "ankle", "D_A",
        [&](bool l) -> std::function<double(Engine&)> {
          const int foot = actor.body(l ? R::left_foot : R::right_foot);
          return paper ? twice_the_force(foot) : along(foot, bone(l ? R::left_shank : R::right_shank, foot));
        },
        [&] { return level(0.010, 8.0); });
    both_sides(
        "foot", "D_P", [&](bool l) { return acceleration(actor.body(l ? R::left_foot : R::right_foot)); },
        [&] { return level(0.010, 150); });
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int scene(int body) const { return slot.first_body + body; }
  Gauge level(double window, double limit) const {
    return preset == InjuryPreset::paper ? Gauge::mean(window, limit, h) : Gauge::sustained(window, limit, h);
  }

  Bone bone(Role role, int next) {
    const int body = slot.actor->body(role);
    if (body < 0 || next < 0) return {-1, Vec3::Zero()};
    const Vec3 way = rest.body_position(next) - rest.body_position(body);
    return {body, rest.body_rotation(body).conjugate() * way.normalized()};
  }

  using Quantity = std::function<double(Engine&)>;  // empty where the character lacks a part
  Quantity acceleration(int body) const {
    if (body < 0) return {};
    return [b = scene(body)](Engine& engine) { return engine.body_acceleration(b).norm() / kG; };
  }
  // kN by which the joint of `body` presses along a bone; sign -1: by which it pulls.
  Quantity along(int body, const Bone& bone, double times = 1) const {
    if (body < 0 || bone.body < 0) return {};
    return [b = scene(body), on = scene(bone.body), u = bone.direction, times](Engine& engine) {
      return std::max(0.0, times * engine.joint_reaction(b).force.dot(engine.body_rotation(on) * u)) / 1000;
    };
  }
  Quantity across(int body, const Bone& bone) const {
    if (body < 0 || bone.body < 0) return {};
    return [b = scene(body), on = scene(bone.body), u = bone.direction](Engine& engine) {
      const Vec3 force = engine.joint_reaction(b).force, axis = engine.body_rotation(on) * u;
      return (force - force.dot(axis) * axis).norm() / 1000;
    };
  }
  Quantity twice_the_force(int body) const {  // eq. 5.8, 5.12: action and reaction
    if (body < 0) return {};
    return [b = scene(body)](Engine& engine) { return 2 * engine.joint_reaction(b).force.norm() / 1000; };
  }
  Quantity mass_times_acceleration(const Bone& bone, bool axial) const {  // eq. 5.9 to 5.11
    if (bone.body < 0) return {};
    return [b = scene(bone.body), u = bone.direction, m = slot.actor->bodies()[at(bone.body)].mass,
            axial](Engine& engine) {
      const Vec3 a = engine.body_acceleration(b), axis = engine.body_rotation(b) * u;
      const double on_axis = a.dot(axis);
      return m * (axial ? std::abs(on_axis) : (a - on_axis * axis).norm()) / 1000;
    };
  }

  void add(std::string name, std::string symbol, Quantity quantity, Gauge gauge) {
    if (quantity) all.push_back({std::move(name), std::move(symbol), std::move(quantity), std::move(gauge)});
  }
  template <typename MakeQuantity, typename MakeGauge>
  void both_sides(const std::string& name, const std::string& symbol, MakeQuantity quantity,
                  MakeGauge gauge) {
    for (const bool l : {true, false})
      add((l ? "left " : "right ") + name, symbol + (l ? "_L" : "_R"), quantity(l), gauge());
  }

  // Flexion bends the neck forwards: the trunk then turns the head back, against its left axis.
  void look_at_neck(Engine& engine) {
    const Wrench neck = engine.joint_reaction(scene(head));
    const Quat rotation = engine.body_rotation(scene(head));
    const double force = neck.force.dot(rotation * up), bend = -neck.torque.dot(rotation * left);
    nij = std::max(nij, (force > 0 ? force / kNijCompression : -force / kNijTension) +
                            (bend > 0 ? bend / kNijFlexion : -bend / kNijExtension));
  }

  ActorSlot slot;
  double h;
  InjuryPreset preset;
  ActorDynamics rest;  // in the rest pose
  int head = -1;
  Vec3 up = Vec3::UnitZ(), left = Vec3::UnitY();  // of the head, in its axes
  std::vector<Named> all;
  double nij = 0;
};

InjuryMeter::InjuryMeter(const ActorSlot& slot, double timestep, InjuryPreset preset)
    : parts_(std::make_unique<Parts>(slot, timestep, preset)) {}
InjuryMeter::~InjuryMeter() = default;
InjuryMeter::InjuryMeter(InjuryMeter&&) noexcept = default;

void InjuryMeter::stepped(Engine& engine) {
  for (Parts::Named& measure : parts_->all) measure.gauge.push(measure.quantity(engine));
  if (parts_->preset == InjuryPreset::standard && parts_->head >= 0) parts_->look_at_neck(engine);
}

Injury InjuryMeter::result() const {
  Injury out;
  out.preset = parts_->preset == InjuryPreset::paper ? "paper" : "default";
  double sum = 0, square = 0;
  for (const Parts::Named& measure : parts_->all) {
    const auto [value, at] = measure.gauge.worst();
    out.measures.push_back({measure.name, measure.symbol, value, at});
    sum += value;
    square += value * value;
    if (const HeadInjury* hic = measure.gauge.hic()) {
      out.hic = hic->largest();
      out.hic_window_s = hic->window();
    }
  }
  const auto count = static_cast<double>(out.measures.size());
  out.d_avg = sum / count;
  out.d_square = std::sqrt(square / count);
  for (const InjuryMeasure& measure : worst_measures(out, 3)) out.d_worst3 += measure.value / 3;
  out.nij = parts_->nij;
  return out;
}

static void describe(Fields& fields, InjuryMeasure& measure) {
  fields("name", measure.name)("symbol", measure.symbol)("value", measure.value)("at_s", measure.at_s);
}

void describe(Fields& fields, Injury& injury) {
  fields("preset", injury.preset)("d_avg", injury.d_avg)("d_worst3", injury.d_worst3);
  fields("d_square", injury.d_square)("hic", injury.hic)("hic_window_s", injury.hic_window_s)("nij",
                                                                                              injury.nij);
  fields.list("measures", injury.measures, "",
              [](Fields& inner, InjuryMeasure& measure) { describe(inner, measure); });
}

std::vector<InjuryMeasure> worst_measures(const Injury& injury, std::size_t count) {
  std::vector<InjuryMeasure> sorted = injury.measures;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const InjuryMeasure& a, const InjuryMeasure& b) { return a.value > b.value; });
  sorted.resize(std::min(count, sorted.size()));
  return sorted;
}

std::string injury_words(const Injury& injury) {
  std::string hurt;
  for (const InjuryMeasure& measure : worst_measures(injury, 3)) {
    if (measure.value < 1) break;
    hurt += fmt::format("{}{} ({:.2g} times the limit, at {:.2f} s)", hurt.empty() ? "" : ", ", measure.name,
                        measure.value, measure.at_s);
  }
  if (!hurt.empty()) return "Serious injury is likely: " + hurt + ".";
  const std::vector<InjuryMeasure> most = worst_measures(injury, 1);
  if (most.empty() || most[0].value < 0.05) return "Nobody would be hurt.";
  return fmt::format("No serious injury: the {} comes nearest, at {:.0f} % of its limit, at {:.2f} s.",
                     most[0].name, 100 * most[0].value, most[0].at_s);
}

}  // namespace stunt
