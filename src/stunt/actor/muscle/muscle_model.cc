#include "stunt/actor/muscle/muscle_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/mjcf_reader.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kNextToNothing = 1e-6;  // kg
constexpr double kFrame = 0.01;          // kg: no part of a body
constexpr double kWide = 0.5;            // m: no radius of gyration of a part of a body

bool only_a_frame(const mjModel& m, int body) {
  const double mass = m.body_mass[body], *inertia = &m.body_inertia[3 * body];
  return mass<kFrame&& * std::max_element(inertia, inertia + 3)> mass * kWide * kWide;
}

// MuJoCo itself refuses a body without mass that moves by a joint of its own.
void weigh_frames(mjSpec& spec, const std::string& place) {
  const ModelPtr model(mj_compile(&spec, nullptr));
  if (!model) throw InputError(place, mujoco_message(mjs_getError(&spec)), "an MJCF model with muscles");
  for (auto* e = mjs_firstElement(&spec, mjOBJ_BODY); e; e = mjs_nextElement(&spec, e)) {
    const int id = mjs_getId(e);
    if (id <= 0 || (model->body_mass[id] > 0 && !only_a_frame(*model, id))) continue;
    mjsBody& body = *mjs_asBody(e);
    body.explicitinertial = true;
    body.mass = kNextToNothing;
    std::fill_n(body.ipos, 3, 0.0);
    std::fill_n(body.inertia, 3, 1e-3 * kNextToNothing);
    body.fullinertia[0] = std::nan("");  // MuJoCo: not given
  }
}

double strength(const mjModel& m, int actuator) {
  const double* gain = &m.actuator_gainprm[mjNGAIN * actuator];  // range 2, force, scale, ...
  // As MuJoCo has it: a negative force is a wish for an acceleration.
  return gain[2] >= 0 ? gain[2] : gain[3] / std::max(mjMINVAL, m.actuator_acc0[m.actuator_outadr[actuator]]);
}

}  // namespace

MuscleModelPtr load_muscle_model(const std::filesystem::path& path) {
  const std::string place = path.string();
  const SpecPtr spec = parse_mjcf_file(path);
  spec->compiler.LRopt.mode =
      mjLRMODE_NONE;  // nobody asks for ranges of lengths, which take a simulation each
  weigh_frames(*spec, place);
  auto out = std::make_shared<MuscleModel>();
  out->actor = Actor::from_spec(*spec, path.stem().string(), place);
  const mjModel& m = out->actor->model();
  for (int i = 0; i < m.nactuator; ++i) {
    if (m.actuator_gaintype[i] != mjGAIN_MUSCLE) continue;
    const std::string name = m.names + m.name_actuatoradr[i];
    out->muscles.push_back({name.empty() ? fmt::format("muscle {}", i + 1) : name, i, strength(m, i)});
    if (!(out->muscles.back().max_force > 0 && std::isfinite(out->muscles.back().max_force)))
      throw InputError(
          place, fmt::format("muscle '{}' with a strength of {:g} N", name, out->muscles.back().max_force),
          "more than 0");
  }
  if (out->muscles.empty())
    throw InputError(place, fmt::format("{} actuators, none of them a muscle", m.nactuator),
                     "<actuator><muscle .../>");
  out->couplings = JointCouplings(*out->actor, place);
  return out;
}

}  // namespace stunt
