#include "stunt/world/scene/compile_grips.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kGripTime = 0.004;  // s, how soon a grip is where it should be; at least a few steps
constexpr double kGripImpedance = 0.999;

std::string grip_name(std::size_t index) { return fmt::format("grip{}", index); }

std::string hand_name(const GripSpec& grip, const std::vector<PlacedActor>& actors,
                      const std::string& place) {
  for (const PlacedActor& placed : actors) {
    if (placed.name != grip.actor) continue;
    const auto& bodies = placed.actor->bodies();
    const int part = placed.actor->find_part(grip.body);
    if (part >= 0) return placed.name + "/" + bodies[static_cast<std::size_t>(part)].name;
    std::vector<std::string> names;
    for (const ActorBody& body : bodies) names.push_back(body.name);
    throw InputError(place + ".body", "'" + grip.body + "'",
                     fmt::format("a role, or one of: {}", fmt::join(names, ", ")));
  }
  throw InputError(place + ".actor", "'" + grip.actor + "'", "a character of the scene");
}

void check_object(const GripSpec& grip, const Environment& scene, const std::string& place) {
  std::vector<std::string> known;
  for (const auto& object : scene.objects) known.push_back(object.name);
  for (const auto& platform : scene.platforms) known.push_back(platform.name);
  for (const auto& seesaw : scene.seesaws) known.push_back(seesaw.name);
  if (std::find(known.begin(), known.end(), grip.object) != known.end()) return;
  throw InputError(
      place + ".object", "'" + grip.object + "'",
      known.empty() ? "an object in the scene" : fmt::format("one of: {}", fmt::join(known, ", ")));
}

}  // namespace

void add_grips(const Environment& scene, const std::vector<PlacedActor>& actors, mjSpec& spec) {
  for (std::size_t i = 0; i < scene.grips.size(); ++i) {
    const GripSpec& grip = scene.grips[i];
    const std::string place = fmt::format("grip.{}", i);
    const std::string hand = hand_name(grip, actors, place);
    check_object(grip, scene, place);
    mjsEquality* hold = mjs_addEquality(&spec, nullptr);
    mjs_setName(hold->element, grip_name(i).c_str());
    hold->type = mjEQ_CONNECT;
    hold->objtype = mjOBJ_BODY;
    mjs_setString(hold->name1, hand.c_str());
    mjs_setString(hold->name2, grip.object.c_str());
    hold->active = 0;
    hold->solref[0] = std::max(kGripTime, 2.5 * scene.timestep);
    hold->solref[1] = 1;
    hold->solimp[0] = hold->solimp[1] = kGripImpedance;
    mjsExclude* apart = mjs_addExclude(&spec);
    mjs_setString(apart->bodyname1, hand.c_str());
    mjs_setString(apart->bodyname2, grip.object.c_str());
  }
}

void find_grips(const Environment& scene, CompiledScene& compiled) {
  const mjModel& m = *compiled.model;
  for (std::size_t i = 0; i < scene.grips.size(); ++i) {
    const int constraint = mj_name2id(&m, mjOBJ_EQUALITY, grip_name(i).c_str());
    const int hand = m.eq_obj1id[constraint], object = m.eq_obj2id[constraint];
    compiled.grips.push_back(
        {compiled.actor_of(hand), hand, object, vec3(m.body_ipos + 3 * hand), constraint, scene.grips[i]});
  }
}

}  // namespace stunt
