// What an actor sits on: when a box of the scene carries a motion, and what box a capture without one would need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/reference.h"

namespace stunt {

struct SeatBox {
  Vec3 centre;    // m
  Vec3 half;      // m
  Quat rotation;  // of its axes
};

// The times (s) in which something other than the feet is on top of one of the boxes, within a few centimetres.
std::vector<TimeSpan> seated_times(const Reference& motion, const std::vector<SeatBox>& boxes);

// The box under the pelvis in the longest of the spans in which feet cannot carry the body (unseen_support.h), where the
// pelvis stays there at the height of a seat. It ends behind the shanks.
std::optional<SeatBox> find_seat(const SampledReference& motion, const std::vector<TimeSpan>& spans);

// The key of a scene that has it, as YAML on one line.
std::string seat_keys(const SeatBox& box);

}  // namespace stunt
