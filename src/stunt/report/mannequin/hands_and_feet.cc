#include <algorithm>
#include <cmath>
#include <limits>

#include "stunt/report/mannequin/sculpt.h"

namespace stunt {
namespace {

// A mitten's outline from the wrist (0) to the finger tips (1): half widths in half widths of the physical shape,
// half thicknesses in its half thickness, and how far it curls towards the palm, in lengths.
struct HandSlice {
  double share, wide, thick, curl;
};
// clang-format off
constexpr HandSlice kHand[] = {{0.00, 0.62, 1.35, 0.000}, {0.10, 0.70, 1.45, 0.000}, {0.28, 0.94, 1.55, 0.005},
                               {0.46, 1.00, 1.40, 0.020}, {0.62, 0.96, 1.15, 0.050}, {0.80, 0.88, 0.95, 0.105},
                               {1.00, 0.70, 0.80, 0.175}};
// clang-format on

// A hand or a fist about a palm: `along` to the finger tips, `thumb` to the thumb's side, `palm` out of the palm.
void add_hand(int body, const Vec3& wrist, const Vec3& along, const Vec3& thumb, const Vec3& palm,
              double length, double wide, double thick, double curl, Pieces& pieces) {
  std::vector<Ring> keys;
  for (const HandSlice& s : kHand) {
    keys.push_back({wrist + s.share * length * along + s.curl * curl * length * palm, thumb, palm,
                    s.wide * wide, s.thick * thick, s.thick * thick, 2.5, 2.5});
  }
  pieces.push_back(
      {body, Surface::skin, loft(rounded_ends(smooth(keys, 10), 0.25 * wide, 0.5 * wide), kAroundLimb)});
  // The thumb leaves the palm near the wrist and points ahead.
  const double round = std::min(0.42 * wide, 1.2 * thick);
  const Vec3 root = wrist + 0.20 * length * along + 0.45 * wide * thumb;
  const Vec3 tip = wrist + 0.56 * length * along + (1.0 * wide + 0.75 * round) * thumb + 0.9 * thick * palm;
  const Vec3 way = (tip - root).normalized();
  const Vec3 side = across(palm, way);
  std::vector<Ring> rings;
  for (const auto& [share, size] : {std::pair{0.0, 1.0}, {0.4, 1.0}, {0.75, 0.92}, {1.0, 0.8}}) {
    rings.push_back(
        {root + share * (tip - root), side, way.cross(side), size * round, size * round, size * round, 2, 2});
  }
  pieces.push_back({body, Surface::skin, loft(rounded_ends(smooth(rings, 5), 0.8 * round, 0.8 * round), 10)});
}

// A shoe by its length from the heel (0) to the tip (1): half width in half widths, height of the upper in heights of
// the ankle over the ground.
struct ShoeSlice {
  double share, wide, high;
};
// clang-format off
constexpr ShoeSlice kShoe[] = {{0.00, 0.62, 0.66}, {0.06, 0.76, 0.94}, {0.16, 0.80, 1.04}, {0.30, 0.80, 1.00},
                               {0.44, 0.86, 0.80}, {0.58, 0.96, 0.64}, {0.70, 1.04, 0.55}, {0.82, 1.02, 0.48},
                               {0.92, 0.90, 0.42}, {1.00, 0.66, 0.34}};
// clang-format on

ShoeSlice shoe_at(double share) {
  const auto* above =
      std::find_if(std::begin(kShoe), std::end(kShoe), [&](const ShoeSlice& s) { return s.share >= share; });
  if (above == std::end(kShoe)) return kShoe[std::size(kShoe) - 1];
  if (above == std::begin(kShoe)) return *above;
  const auto* below = above - 1;
  double t = (share - below->share) / (above->share - below->share);
  t = t * t * (3 - 2 * t) * 0.35 + 0.65 * t;  // between straight lines and steps: no visible kinks
  return {share, below->wide + t * (above->wide - below->wide),
          below->high + t * (above->high - below->high)};
}

// How a foot lies, in its own axes.
struct FootFrame {
  Vec3 forward, up, inner;  // unit
  double heel, tip;         // m along forward, from the ankle; tip: of this body
  double ground;            // m along up
  double half;              // m, half width
  Vec3 centre;              // m, of the shapes across
};

FootFrame foot_frame(const Anatomy& anatomy, int body, const Vec3& forward, const Vec3& up, Side side) {
  FootFrame frame;
  frame.up = up;
  frame.forward = across(forward, up);
  const Vec3 left = frame.up.cross(frame.forward);
  frame.inner = side == Side::left ? Vec3(-left) : left;
  frame.heel = -anatomy.reach(body, -frame.forward, true);
  frame.tip = anatomy.reach(body, frame.forward, true);
  frame.ground = -anatomy.reach(body, -up, true);
  const bool soles = anatomy.geoms(body).empty();  // contact points alone say how wide it is
  const double out = anatomy.reach(body, -frame.inner, soles), in = anatomy.reach(body, frame.inner, soles);
  frame.half = 0.5 * (in + out);
  frame.centre = 0.5 * (in - out) * frame.inner;
  return frame;
}

// The part of a shoe between two shares of its length: the upper, and the sole below it.
void add_shoe(int body, const FootFrame& frame, double heel, double length, double height, double from,
              double to, bool open_front, bool open_back, Pieces& pieces) {
  constexpr int kSteps = 9;
  const double sole = std::min(0.018 * length / 0.25, 0.3 * height);
  std::vector<Ring> upper, slab;
  for (int i = 0; i <= kSteps; ++i) {
    const double share = from + (to - from) * i / kSteps;
    const ShoeSlice slice = shoe_at(share);
    const Vec3 place = frame.centre + (heel + share * length) * frame.forward + frame.ground * frame.up;
    const double wide = slice.wide * frame.half;
    const double rise = 0.10 * sole * std::pow(std::max(0.0, (share - 0.8) / 0.2), 2);
    const double base = 0.5 * sole + rise, widest = std::max(1.3 * sole, 0.32 * slice.high * height);
    upper.push_back({place + widest * frame.up, frame.inner, frame.up, wide,
                     std::max(slice.high * height - widest, 0.4 * sole), widest - base, 2.1, 3.2});
    slab.push_back({place + (0.5 * sole + rise) * frame.up, frame.inner, frame.up, 1.05 * wide, 0.5 * sole,
                    0.5 * sole, 5, 5});
  }
  const double round_back = open_back ? 0.35 * frame.half : 0.55 * frame.half;
  const double round_front = open_front ? 0.35 * frame.half : 0.7 * frame.half;
  pieces.push_back({body, Surface::shoe, loft(rounded_ends(upper, round_back, round_front), kAroundLimb)});
  pieces.push_back({body, Surface::sole, loft(rounded_ends(slab, round_back, round_front), kAroundLimb)});
}

}  // namespace

void sculpt_hand(const Anatomy& anatomy, Side side, Pieces& pieces) {
  const bool left = side == Side::left;
  const int forearm = anatomy.body(left ? Role::left_forearm : Role::right_forearm);
  const int hand = anatomy.body(left ? Role::left_hand : Role::right_hand);
  const Bone arm = anatomy.bone(forearm, hand);
  const double scale = anatomy.scale();
  if (hand < 0 || anatomy.actor().bodies()[static_cast<std::size_t>(hand)].parent != forearm) {
    // Without a wrist the arm ends in a fist.
    const double wrist = 0.72 * arm.radius;
    add_hand(forearm, arm.end - 0.3 * wrist * arm.along, arm.along, arm.front, arm.inner, 0.11 * scale,
             0.038 * scale, 0.021 * scale, 0.6, pieces);
    return;
  }
  const Vec3 centre = anatomy.middle(hand);
  const Quat& rest = anatomy.actor().bodies()[static_cast<std::size_t>(hand)].rest;
  const Vec3 along =
      centre.norm() > 0.01 * scale ? Vec3(centre.normalized()) : Vec3(rest.conjugate() * arm.along);
  // The palm is the flat side of the shape that is nearest to where the elbow says it should be.
  Vec3 palm = across(rest.conjugate() * arm.inner, along);
  for (const int geom : anatomy.geoms(hand)) {
    const mjModel& m = anatomy.actor().model();
    if (m.geom_type[geom] != mjGEOM_BOX) continue;
    const double* s = m.geom_size + 3 * geom;
    const int thin = s[0] < s[1] ? (s[0] < s[2] ? 0 : 2) : (s[1] < s[2] ? 1 : 2);
    const Vec3 flat = quat_from_wxyz(m.geom_quat + 4 * geom) * Vec3::Unit(thin);
    if (std::abs(flat.dot(along)) < 0.5) palm = across(flat.dot(palm) < 0 ? Vec3(-flat) : flat, along);
    break;
  }
  const Vec3 thumb = (left ? 1.0 : -1.0) * palm.cross(along);
  double length = anatomy.reach(hand, along), wide = 0.042 * scale, thick = 0.014 * scale;
  if (!std::isfinite(length) || length < 0.05 * scale) length = 0.17 * scale;
  const double across_half = 0.5 * (anatomy.reach(hand, thumb) + anatomy.reach(hand, -thumb));
  const double through_half = 0.5 * (anatomy.reach(hand, palm) + anatomy.reach(hand, -palm));
  if (std::isfinite(across_half)) wide = std::clamp(across_half, 0.15 * length, 0.4 * length);
  if (std::isfinite(through_half)) thick = std::clamp(through_half, 0.06 * length, 0.2 * length);
  add_hand(hand, Vec3::Zero(), along, thumb, palm, length, wide, thick, 1, pieces);
  pieces.push_back({hand, Surface::joint, ball(Vec3::Zero(), 0.74 * arm.radius)});
}

void sculpt_foot(const Anatomy& anatomy, Side side, Pieces& pieces) {
  const bool left = side == Side::left;
  const int shank = anatomy.body(left ? Role::left_shank : Role::right_shank);
  const int foot = anatomy.body(left ? Role::left_foot : Role::right_foot);
  int toes = anatomy.body(left ? Role::left_toes : Role::right_toes);
  if (foot < 0 || anatomy.geoms(foot, true).empty()) return;
  const Actor& actor = anatomy.actor();
  if (toes >= 0 &&
      (actor.bodies()[static_cast<std::size_t>(toes)].parent != foot || anatomy.geoms(toes, true).empty()))
    toes = -1;

  // Up is across the flat shape that is nearest to the shank's direction; forward to the toes.
  const Bone leg = anatomy.bone(shank, foot);
  const Quat& ankle_rest = actor.bodies()[static_cast<std::size_t>(foot)].rest;
  Vec3 up = ankle_rest.conjugate() * -leg.along;
  const mjModel& m = actor.model();
  for (const int geom : anatomy.geoms(foot)) {
    if (m.geom_type[geom] != mjGEOM_BOX) continue;
    const Quat turn = quat_from_wxyz(m.geom_quat + 4 * geom);
    const Vec3 wanted = up;
    double best = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 unit = turn * Vec3::Unit(axis);
      if (std::abs(unit.dot(wanted)) <= best) continue;
      best = std::abs(unit.dot(wanted));
      up = unit.dot(wanted) < 0 ? Vec3(-unit) : unit;
    }
    break;
  }
  const Vec3 ahead = toes >= 0 ? actor.bodies()[static_cast<std::size_t>(toes)].offset
                               : Vec3(ankle_rest.conjugate() * leg.front);
  const FootFrame frame = foot_frame(anatomy, foot, ahead, up, side);
  const double height = -frame.ground;  // of the ankle
  if (!(height > 0.005) || !(frame.tip > frame.heel)) return;
  const double ankle = 0.66 * leg.radius;
  // Where the shapes lie beside the joints, as those of a planar character, so does the ankle.
  const bool beside = frame.centre.norm() > ankle;
  pieces.push_back({foot, Surface::joint, ball(beside ? frame.centre : Vec3(Vec3::Zero()), ankle)});
  if (toes < 0) {
    add_shoe(foot, frame, frame.heel, frame.tip - frame.heel, height, 0, 1, false, false, pieces);
    return;
  }
  const Quat& toe_rest = actor.bodies()[static_cast<std::size_t>(toes)].rest;
  const FootFrame front =
      foot_frame(anatomy, toes, toe_rest.conjugate() * frame.forward, toe_rest.conjugate() * up, side);
  const Vec3& ball_of_foot = actor.bodies()[static_cast<std::size_t>(toes)].offset;
  const double bend = ball_of_foot.dot(frame.forward);
  const double length = bend + front.tip - frame.heel;
  const double cut = (bend - frame.heel) / length, overlap = 0.45 * frame.half / length;
  add_shoe(foot, frame, frame.heel, length, height, 0, std::min(1.0, cut + overlap), true, false, pieces);
  add_shoe(toes, front, frame.heel - bend, length, height, std::max(0.0, cut - 0.6 * overlap), 1, false, true,
           pieces);
}

}  // namespace stunt
