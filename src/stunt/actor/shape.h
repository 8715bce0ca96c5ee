// The simple shapes that things of a scene are made of, as a scene file names them.
#pragma once

#include <mujoco/mujoco.h>

#include <string>

#include "stunt/core/rotation.h"
#include "stunt/core/settings.h"

namespace stunt {

// The fields "shape" (box, sphere, capsule, cylinder) and "size" (m): a box's edges; a sphere's diameter; a capsule's
// diameter and length between the caps; a cylinder's diameter and length. Round shapes are long along their z axis.
void describe_shape(Fields& fields, std::string& shape, Vec3& size);

// The shape about the body's origin, with everything else as MuJoCo has it by default.
mjsGeom* add_shape(mjsBody* body, const std::string& shape, const Vec3& size);

// Turns about x, then y, then z (degrees, fixed axes): how scene files give an orientation.
Quat turned_deg(const Vec3& degrees);

}  // namespace stunt
