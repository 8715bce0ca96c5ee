#include "stunt/control/parts/feet.h"

#include <algorithm>

namespace stunt {

std::vector<Foot> find_feet(const Actor& actor) {
  std::vector<Foot> feet;
  for (const bool left : {true, false}) {
    if (auto leg = find_leg(actor, left)) {
      Foot foot;
      foot.ankle_height = ankle_height(actor, *leg);
      foot.leg = *std::move(leg);
      feet.push_back(std::move(foot));
    }
  }
  return feet;
}

bool stands(const Actor& actor, const Leg& leg, const ReferenceSample& sample) {
  const auto& points = actor.contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].left == leg.left && sample.contacts[i]) return true;
  }
  return false;
}

bool touches(const Leg& leg, std::span<const ActorContact> contacts) {
  return std::any_of(contacts.begin(), contacts.end(), [&](const ActorContact& c) {
    return c.support && (c.body == leg.foot || c.body == leg.toes);
  });
}

}  // namespace stunt
