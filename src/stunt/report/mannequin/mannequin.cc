#include "stunt/report/mannequin/mannequin.h"

#include <map>
#include <utility>

#include "stunt/report/mannequin/sculpt.h"

namespace stunt {
namespace {

void append(TriangleMesh& to, const TriangleMesh& from) {
  const auto first = static_cast<std::uint32_t>(to.positions.size());
  to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
  to.normals.insert(to.normals.end(), from.normals.begin(), from.normals.end());
  for (const std::uint32_t index : from.indices) to.indices.push_back(first + index);
}

}  // namespace

std::vector<MannequinPiece> make_mannequin(const Actor& actor) {
  const Anatomy anatomy(actor);
  Pieces pieces;
  std::vector<bool> drawn(actor.bodies().size(), false);
  if (anatomy.human()) {
    // Bodies between, whose joints are in one place, have nothing of their own to show.
    const int pelvis = anatomy.body(Role::pelvis), chest = anatomy.body(Role::chest);
    for (const int top : {chest, anatomy.body(Role::neck), anatomy.body(Role::head)}) {
      for (const int body : anatomy.way(pelvis, top)) drawn[static_cast<std::size_t>(body)] = true;
    }
    sculpt_trunk(anatomy, pieces);
    sculpt_head(anatomy, pieces);
    for (const Side side : {Side::left, Side::right}) {
      sculpt_arm(anatomy, side, pieces);
      sculpt_hand(anatomy, side, pieces);
      sculpt_leg(anatomy, side, pieces);
      sculpt_foot(anatomy, side, pieces);
    }
  }
  for (const MannequinPiece& piece : pieces) drawn[static_cast<std::size_t>(piece.body)] = true;
  for (int body = 0; body < static_cast<int>(actor.bodies().size()); ++body) {
    if (!drawn[static_cast<std::size_t>(body)]) soften_shapes(anatomy, body, pieces);
  }
  std::map<std::pair<int, Surface>, TriangleMesh> joined;
  for (const MannequinPiece& piece : pieces) append(joined[{piece.body, piece.surface}], piece.mesh);
  pieces.clear();
  for (auto& [key, mesh] : joined) pieces.push_back({key.first, key.second, std::move(mesh)});
  return pieces;
}

}  // namespace stunt
