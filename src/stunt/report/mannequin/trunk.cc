#include <algorithm>
#include <cmath>

#include "stunt/report/mannequin/sculpt.h"

namespace stunt {
namespace {

// The trunk by height: 0 at the hip joints, 1 at the shoulders. Half widths across in hip widths (`hips`) and chest
// widths (`chest`), depths in the depth of the physical shapes.
struct Slice {
  double height, hips, chest, front, back;
};
// clang-format off
constexpr Slice kTrunk[] = {
    {-0.20, 0.34, 0.00, 0.50, 0.62}, {-0.13, 0.66, 0.00, 0.86, 1.02}, {-0.05, 0.94, 0.00, 1.06, 1.30},
    { 0.05, 1.02, 0.00, 1.10, 1.34}, { 0.14, 0.98, 0.00, 1.08, 1.16}, { 0.25, 0.60, 0.28, 1.02, 0.98},
    { 0.36, 0.40, 0.40, 0.98, 0.92}, { 0.50, 0.24, 0.64, 1.06, 0.98}, { 0.66, 0.00, 0.96, 1.20, 1.10},
    { 0.80, 0.00, 1.03, 1.28, 1.14}, { 0.91, 0.00, 1.00, 1.18, 1.12}, { 1.00, 0.00, 0.92, 0.98, 1.02},
    { 1.07, 0.00, 0.66, 0.76, 0.82}, { 1.13, 0.00, 0.38, 0.56, 0.60}};
// clang-format on

constexpr double kRibs = 0.48;   // height of the lowest ribs
constexpr double kUsual = 0.52;  // m from hip to shoulder, at a stature of 1.75 m

struct TrunkSize {
  double hips, chest, depth;  // m, half widths
};

Ring slice_at(double height, const TrunkSize& size) {
  const auto* above =
      std::find_if(std::begin(kTrunk), std::end(kTrunk), [&](const Slice& s) { return s.height >= height; });
  if (above == std::end(kTrunk)) --above;
  if (above == std::begin(kTrunk)) ++above;
  const auto* below = above - 1;
  const double share = std::clamp((height - below->height) / (above->height - below->height), 0.0, 1.0);
  const auto* before = below == std::begin(kTrunk) ? below : below - 1;
  const auto* after = above + 1 == std::end(kTrunk) ? above : above + 1;
  // Hermite with the slopes of the neighbours: no kinks where the slices are.
  const auto curve = [&](auto value) {
    const double step = above->height - below->height;
    const auto slope = [&](const Slice* a, const Slice* b) {
      return a == b ? 0.0 : (value(*b) - value(*a)) / (b->height - a->height);
    };
    const double m0 = slope(before, above) * step, m1 = slope(below, after) * step;
    const double t = share, t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * value(*below) + (t3 - 2 * t2 + t) * m0 +
           (3 * t2 - 2 * t3) * value(*above) + (t3 - t2) * m1;
  };
  Ring ring;
  ring.side_half = curve([&](const Slice& s) { return s.hips * size.hips + s.chest * size.chest; });
  ring.front_half = curve([](const Slice& s) { return s.front; }) * size.depth;
  ring.back_half = curve([](const Slice& s) { return s.back; }) * size.depth;
  ring.front_power = ring.back_power = 2.25;
  return ring;
}

// One body's share of the trunk, in its axes.
struct TrunkPart {
  int body;
  Vec3 start, along, side;  // start: m, where `from` is; unit directions
  double from, to;          // height
};

Vec3 shoulder_side(const Anatomy& anatomy, int chest) {
  const auto root = [&](Role collar, Role arm) {
    const int body = anatomy.body(collar) >= 0 ? anatomy.body(collar) : anatomy.body(arm);
    return anatomy.rest_point(chest, body);
  };
  const Vec3 aside =
      root(Role::left_clavicle, Role::left_upper_arm) - root(Role::right_clavicle, Role::right_upper_arm);
  return aside.norm() > 1e-3 ? aside : anatomy.rest_direction(chest, anatomy.left());
}

}  // namespace

void sculpt_trunk(const Anatomy& anatomy, Pieces& pieces) {
  const Actor& actor = anatomy.actor();
  const int pelvis = anatomy.body(Role::pelvis), chest = anatomy.body(Role::chest);
  const std::vector<int> way = anatomy.way(pelvis, chest);
  const double scale = anatomy.scale();

  // Hips and shoulders, each seen from its own body.
  const Vec3 left_hip = anatomy.rest_point(pelvis, anatomy.body(Role::left_thigh));
  const Vec3 right_hip = anatomy.rest_point(pelvis, anatomy.body(Role::right_thigh));
  const Vec3 hips = 0.5 * (left_hip + right_hip);
  const int head = anatomy.body(Role::neck) >= 0 ? anatomy.body(Role::neck) : anatomy.body(Role::head);
  const Vec3 left_shoulder = anatomy.rest_point(chest, anatomy.body(Role::left_upper_arm));
  const Vec3 right_shoulder = anatomy.rest_point(chest, anatomy.body(Role::right_upper_arm));
  const Vec3 shoulders = 0.5 * (left_shoulder + right_shoulder);
  Vec3 neck = shoulders;
  if (head >= 0 && !anatomy.way(chest, head).empty()) neck = anatomy.rest_point(chest, head);
  Vec3 up =
      neck.norm() > 0.05 * scale ? Vec3(neck.normalized()) : anatomy.rest_direction(chest, anatomy.up());
  const Vec3 side = across(shoulder_side(anatomy, chest), up);
  // Where collar bones are folded away at rest, the shapes say how wide and high the shoulders are.
  const double shape_width = anatomy.reach(chest, side), shape_height = anatomy.reach(chest, up);
  double shoulder_half = 0.5 * std::abs((left_shoulder - right_shoulder).dot(side));
  double shoulder_height = shoulders.dot(up);
  if (std::isfinite(shape_width) && shoulder_half < 0.8 * shape_width) {
    shoulder_half = 1.12 * shape_width;
    shoulder_height = std::min(neck.dot(up), shape_height - 0.03 * scale);
  }

  TrunkSize size{};
  const double thigh = anatomy.bone(anatomy.body(Role::left_thigh), anatomy.body(Role::left_shank)).radius;
  size.hips = 0.5 * (left_hip - right_hip).norm() + 0.86 * thigh;
  size.chest = std::max(0.90 * shoulder_half, 0.95 * size.hips);
  int measured = 0;
  for (const int body : way) {
    const Vec3 front = body == chest ? Vec3(side.cross(up)) : anatomy.rest_direction(body, anatomy.forward());
    const double ahead = anatomy.reach(body, front), behind = anatomy.reach(body, -front);
    if (!std::isfinite(ahead)) continue;
    size.depth += 0.5 * (ahead + behind);
    ++measured;
  }
  size.depth = measured ? size.depth / measured : 0.09 * scale;
  size.hips = std::max(size.hips, 0.6 * size.chest);

  // Heights of the joints along the way.
  std::vector<TrunkPart> parts;
  double length = 0;
  std::vector<double> lengths;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const Vec3 start = i == 0 ? hips : Vec3(Vec3::Zero());
    Vec3 end = i + 1 < way.size() ? actor.bodies()[static_cast<std::size_t>(way[i + 1])].offset
                                  : Vec3(shoulder_height * up);
    TrunkPart part{};
    part.body = way[i];
    part.start = start;
    const double own = (end - start).norm();
    part.along = own > 1e-3 ? Vec3((end - start) / own) : anatomy.rest_direction(part.body, anatomy.up());
    if (i + 1 == way.size()) part.along = up;
    part.side = i + 1 == way.size() ? side
                : i == 0            ? across(left_hip - right_hip, part.along)
                                    : across(anatomy.rest_direction(part.body, anatomy.left()), part.along);
    part.from = length;
    length += std::max(own, 0.0);
    part.to = length;
    parts.push_back(part);
    lengths.push_back(own);
  }
  if (length < 1e-3) return;
  // Each part ends in a dome inside the one above it, which reaches down over it like a shirt: straight, the trunk has
  // no gaps, and none open when it bends.
  const double dome = 0.07 * scale, hem = 0.014 * scale;  // m
  // The rib cage is stiff: it belongs to the chest down to here, wherever the chest's joint is.
  const double ribs = std::min(kRibs * length, parts.back().from);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TrunkPart& part = parts[i];
    const bool lowest = i == 0, highest = i + 1 == parts.size();
    if (!lowest && !highest && (lengths[i] < 0.01 * scale || part.from >= ribs))
      continue;  // nothing of it is seen
    const double top = highest ? part.to : std::max(part.from, std::min(part.to, ribs));
    const double below = lowest    ? 0.20 * kUsual * scale
                         : highest ? part.from - ribs + hem
                                   : hem,
                 above = highest ? 0.13 * length : dome;
    const Vec3 front = part.side.cross(part.along);
    std::vector<Ring> rings;
    const double own = top - part.from + below + above;
    const int steps = std::clamp(static_cast<int>(std::lround(own / (0.024 * scale))), 7, 22);
    for (int k = 0; k <= steps; ++k) {
      const double place = -below + own * k / steps;  // m above the part's start
      const double height = part.from + place;
      // Below the hips a long trunk is no longer than others.
      Ring ring = slice_at(height < 0 ? height / (kUsual * scale) : height / length, size);
      ring.centre = part.start + place * part.along;
      ring.side = part.side;
      ring.front = front;
      const double over =
          (place - (part.to - part.from) + 2.5 * hem) / (2.5 * hem);  // above the next part's hem
      rings.push_back(highest || over <= 0 ? ring : ring.scaled(1 - 0.025 * std::min(1.0, over)));
    }
    pieces.push_back({part.body, Surface::skin,
                      loft(rounded_ends(rings, lowest ? 0.03 * scale : hem, highest ? 0.02 * scale : dome),
                           kAroundTrunk)});
  }
}

}  // namespace stunt
