// A body people like to look at, made for any character: smooth trunk, limbs with muscles, hands, shoes, a head that
// shows where it looks, and dark balls where the joints are.
//
// Nothing is stored: the surfaces are computed from the character's joints, its roles and the sizes of its physical
// shapes, so that what is seen touches where the physics does. Every piece is fixed to one body. What has no role of a
// human body part is drawn as its physical shapes with soft edges. Pictures, GLB and the page show these same meshes.
#pragma once

#include <vector>

#include "stunt/actor/actor.h"
#include "stunt/report/pictures/shapes.h"

namespace stunt {

enum class Surface { skin, joint, shoe, sole, visor };
constexpr const char* kSurfaceNames[] = {"skin", "joint", "shoe", "sole", "visor"};

struct MannequinPiece {
  int body;  // of the actor
  Surface surface;
  TriangleMesh mesh;  // m, in the body's axes; closed, faces outward
};

// Pieces of the same body and surface are one mesh. By body, then surface.
std::vector<MannequinPiece> make_mannequin(const Actor& actor);

}  // namespace stunt
