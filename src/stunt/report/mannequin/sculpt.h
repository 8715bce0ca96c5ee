// The parts of the mannequin, each made of lofted surfaces. Internal to the mannequin; make_mannequin puts them together.
#pragma once

#include "stunt/report/mannequin/anatomy.h"
#include "stunt/report/mannequin/loft.h"
#include "stunt/report/mannequin/mannequin.h"

namespace stunt {

using Pieces = std::vector<MannequinPiece>;

constexpr int kAroundTrunk = 24, kAroundLimb = 16, kAroundBall = 14;  // vertices of a ring

// The trunk is one shape from the crotch to the neck, cut where its joints are.
void sculpt_trunk(const Anatomy& anatomy, Pieces& pieces);
void sculpt_head(const Anatomy& anatomy, Pieces& pieces);  // and neck
void sculpt_arm(const Anatomy& anatomy, Side side, Pieces& pieces);
void sculpt_leg(const Anatomy& anatomy, Side side, Pieces& pieces);
void sculpt_hand(const Anatomy& anatomy, Side side, Pieces& pieces);
void sculpt_foot(const Anatomy& anatomy, Side side, Pieces& pieces);
// The physical shapes of a body with soft edges, and a ball at its joint.
void soften_shapes(const Anatomy& anatomy, int body, Pieces& pieces);

TriangleMesh ball(const Vec3& centre, double radius);  // m

}  // namespace stunt
