// Rotations about coordinate axes in a given order, as BVH, ASF and FBX write them.
#pragma once

#include <array>
#include <string_view>

#include "stunt/core/rotation.h"

namespace stunt {

// Product of rotations about the axes named by `order` ('X', 'Y', 'Z'; the first letter acts last, i.e. "ZYX"
// is Rz * Ry * Rx on column vectors) by `angles` (rad).
Quat from_euler(std::string_view order, const double* angles);

// The angles (rad) about up to three different axes that give `q`, or come near where there are fewer than
// three. Of the equivalent answers (two branches, whole turns) the one nearest to `near` is taken, so that a
// sequence stays continuous through gimbal lock and +-180 degrees. Entries beyond order.size() are zero.
std::array<double, 3> to_euler(const Quat& q, std::string_view order, const std::array<double, 3>& near = {});

}  // namespace stunt
