// A motion made on level ground, adapted to a plane: feet on it and turned with it, the hips above it.
#pragma once

#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/reference.h"

namespace stunt {

// Each foot keeps its place on the map, its height above the ground and its angle to the ground; a foot that
// stood still stands still. The hips rise and fall with the plane below them, less where a leg would be too
// short. Legs follow by inverse kinematics, the rest of the body stays upright. Throws InputError where the
// actor has no two legs.
std::shared_ptr<const SampledReference> adapted_to_plane(const SampledReference& motion, const Floor& plane);

// The same without the rise of the plane itself, which on_slope (staging.h) adds to a motion that goes on and on.
std::shared_ptr<const SampledReference> legs_adapted_to_plane(const SampledReference& motion,
                                                              const Floor& plane);

// The plane of a ground that rises by `slope_deg` towards `direction_deg` (0 is +X, 90 is +Y), at height 0 in
// the origin.
Floor plane_rising(double slope_deg, double direction_deg);

}  // namespace stunt
