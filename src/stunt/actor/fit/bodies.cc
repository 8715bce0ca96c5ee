#include <algorithm>
#include <cmath>

#include "stunt/actor/fit/parts.h"

namespace stunt {
namespace {

constexpr double kDensity = 1000;     // kg/m^3
constexpr double kToesOfFoot = 0.17;  // share of the foot's mass

// Segment parameters after de Leva (1996, J. Biomech. 29(9), table 4), the mean of his women and men: share
// of the body's mass; centre of mass from the upper end, and radii of gyration across and along, as shares of
// the length.
struct LimbData {
  double mass, com, across, along;
};
LimbData limb_data(Part part) {
  switch (part) {
    case Part::upper_arm:
      return {0.0263, 0.576, 0.274, 0.153};
    case Part::forearm:
      return {0.0150, 0.457, 0.265, 0.108};
    case Part::thigh:
      return {0.1447, 0.385, 0.346, 0.156};
    case Part::shank:
      return {0.0457, 0.443, 0.261, 0.098};
    default:
      return {};
  }
}
constexpr double kHeadMass = 0.0681, kHandMass = 0.00585, kFootMass = 0.0133;
constexpr double kUpperTrunk = 0.1570, kMiddleTrunk = 0.1549, kLowerTrunk = 0.1182;

// Share of the body's mass that a part has, given which other parts there are.
double part_mass(const std::vector<FitSegment>& segments, const FitSegment& segment) {
  const auto has = [&](Part part, Side side) {
    return std::any_of(segments.begin(), segments.end(),
                       [&](const FitSegment& s) { return s.part == part && s.side == side; });
  };
  const bool chest = has(Part::chest, Side::middle), abdomen = has(Part::abdomen, Side::middle);
  const bool head = has(Part::head, Side::middle), neck = has(Part::neck, Side::middle);
  const double arm = limb_data(Part::upper_arm).mass + limb_data(Part::forearm).mass + kHandMass;
  double clavicles = 0, missing_arms = 0;
  for (const Side side : {Side::left, Side::right}) {
    if (has(Part::clavicle, side)) clavicles += 0.01;
    if (!has(Part::upper_arm, side)) missing_arms += arm;
  }
  // What has no body of its own weighs on the next one inwards.
  double trunk_top = kUpperTrunk - clavicles + missing_arms + (head || neck ? 0 : kHeadMass);
  double trunk_middle = kMiddleTrunk, trunk_bottom = kLowerTrunk;
  if (!abdomen) (chest ? trunk_top : trunk_bottom) += trunk_middle;
  if (!chest) (abdomen ? trunk_middle : trunk_bottom) += trunk_top;
  switch (segment.part) {
    case Part::pelvis:
      return trunk_bottom;
    case Part::abdomen:
      return trunk_middle;
    case Part::chest:
      return trunk_top;
    case Part::neck:
      return head ? 0.17 * kHeadMass : kHeadMass;
    case Part::head:
      return neck ? 0.83 * kHeadMass : kHeadMass;
    case Part::clavicle:
      return 0.01;
    case Part::hand:
      return kHandMass;
    case Part::forearm:
      return limb_data(Part::forearm).mass + (has(Part::hand, segment.side) ? 0 : kHandMass);
    case Part::foot:
      return kFootMass * (has(Part::toes, segment.side) ? 1 - kToesOfFoot : 1);
    case Part::toes:
      return kFootMass * kToesOfFoot;
    default:
      return limb_data(segment.part).mass;
  }
}

Mat3 box_inertia(double mass, const Vec3& size, const Quat& rotation) {
  const Vec3 s = size.cwiseProduct(size) * mass / 12;
  const Mat3 axes = rotation.toRotationMatrix();
  return axes * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()).asDiagonal() * axes.transpose();
}

// The body's own directions in the rest pose, and the heights of hips and shoulders.
struct Trunk {
  Vec3 left, forward, up;
  Vec3 hips, shoulders;              // m, world, rest pose: the middle between left and right
  double hip_width, shoulder_width;  // m, half
  bool arms;
};
Trunk find_trunk(const std::vector<FitSegment>& segments, double scale) {
  Trunk trunk;
  const auto at = [&](int i) { return segments[i].rest_position; };
  const Vec3 l = at(find_segment(segments, Role::left_thigh)),
             r = at(find_segment(segments, Role::right_thigh));
  trunk.hips = 0.5 * (l + r);
  trunk.up = Vec3::UnitZ();
  trunk.left = l - r;
  trunk.left.z() = 0;
  trunk.hip_width = std::max(0.5 * trunk.left.norm(), 0.05 * scale);
  trunk.left = trunk.left.norm() > 1e-6 ? trunk.left.normalized() : Vec3(Vec3::UnitY());
  trunk.forward = trunk.left.cross(trunk.up);
  const int la = find_segment(segments, Role::left_upper_arm),
            ra = find_segment(segments, Role::right_upper_arm);
  trunk.arms = la >= 0 && ra >= 0;
  if (trunk.arms) {
    trunk.shoulders = 0.5 * (at(la) + at(ra));
    trunk.shoulder_width = 0.5 * (at(la) - at(ra)).norm();
  } else {
    const int chest = find_segment(segments, Role::chest);
    trunk.shoulders =
        (chest >= 0 ? at(chest) : trunk.hips + 0.3 * scale * trunk.up) + 0.15 * scale * trunk.up;
    trunk.shoulder_width = 0.17 * scale;
  }
  return trunk;
}

// Half the size of the trunk's three parts and the head, for a height of 1.75 m: ahead, aside, up (m).
Vec3 half_size(Part part) {
  switch (part) {
    case Part::pelvis:
      return {0.10, 0.16, 0.09};
    case Part::abdomen:
      return {0.095, 0.145, 0.09};
    case Part::chest:
      return {0.11, 0.17, 0.14};
    case Part::head:
      return {0.095, 0.075, 0.12};
    case Part::neck:
      return {0.055, 0.055, 0.05};
    default:
      return {0.03, 0.06, 0.03};
  }
}

// World, rest pose.
Vec3 trunk_centre(const std::vector<FitSegment>& segments, const FitSegment& segment, const Trunk& trunk,
                  double scale) {
  const Vec3 tip = segment.rest_position + segment.rest_rotation * segment.tip;
  switch (segment.part) {
    case Part::pelvis:
      return trunk.hips + 0.05 * scale * trunk.up;
    case Part::chest:
      return 0.5 * (segment.rest_position + trunk.shoulders);
    case Part::head: {
      const Vec3 way = tip - segment.rest_position;
      // A joint too far above the neck's for a neck is not under the skull, but in the middle of a large head.
      const bool on_neck = segment.parent >= 0 && segments[segment.parent].part == Part::neck;
      const double neck = on_neck ? segment.offset.norm() : 0;
      const double lift = neck > 0.2 * scale ? std::max(0.195 * scale - neck, -0.1 * scale) : 0.075 * scale;
      return segment.rest_position + (way.norm() > 0.02 ? way.normalized() : trunk.up) * lift;
    }
    default:
      return 0.5 * (segment.rest_position + tip);
  }
}

// Hands point where their fingers do, or on from the forearm.
Vec3 hand_direction(const FitSegment& hand) {
  return hand.tip.norm() > 0.02 ? hand.tip.normalized() : (hand.rest.conjugate() * hand.offset).normalized();
}
double hand_length(const FitSegment& hand, double scale) {
  return std::clamp(hand.tip.norm(), 0.15 * scale,
                    0.20 * scale);  // the fingers are often left out of a skeleton
}
Quat hand_rotation(const FitSegment& hand, const Trunk& trunk) {
  const Vec3 along = hand_direction(hand);
  const Vec3 back = hand.to_local(std::abs((hand.rest_rotation * along).z()) > 0.7 ? trunk.left : trunk.up);
  Mat3 axes;
  axes.col(0) = along;
  axes.col(2) = (back - back.dot(along) * along).normalized();
  axes.col(1) = axes.col(2).cross(along);
  return Quat(axes);
}

FitGeom capsule(const Vec3& from, const Vec3& to, double radius) {
  FitGeom geom;
  geom.shape = FitGeom::Shape::capsule;
  geom.from = from;
  geom.to = to;
  geom.radius = radius;
  if ((to - from).norm() < 1e-3) {
    geom.shape = FitGeom::Shape::sphere;
    geom.from = 0.5 * (from + to);
  }
  return geom;
}

// A capsule from side to side, given in the world.
FitGeom across(const FitSegment& segment, const Trunk& trunk, const Vec3& centre, double half_length,
               double radius) {
  const Vec3 aside = std::max(half_length, 0.01) * trunk.left;
  return capsule(segment.point_to_local(centre + aside), segment.point_to_local(centre - aside), radius);
}

// Spines with few joints leave holes between the shapes of the trunk's bodies: each is filled by the body whose
// joint is next below it.
void fill_trunk(std::vector<FitSegment>& segments, const Trunk& trunk, double scale) {
  constexpr double kHole = 0.02, kRadius = 0.085, kHalfLength = 0.055;  // m, for a height of 1.75 m
  struct Slice {
    Vec3 centre;
    double radius;
  };
  std::vector<Slice> slices;
  std::vector<FitSegment*> bodies;
  for (FitSegment& segment : segments) {
    if (segment.part != Part::pelvis && segment.part != Part::abdomen && segment.part != Part::chest)
      continue;
    bodies.push_back(&segment);
    for (const FitGeom& geom : segment.geoms) {
      const Vec3 middle =
          geom.shape == FitGeom::Shape::capsule ? Vec3(0.5 * (geom.from + geom.to)) : geom.from;
      slices.push_back({segment.rest_position + segment.rest_rotation * middle, geom.radius});
    }
  }
  std::sort(slices.begin(), slices.end(),
            [](const Slice& a, const Slice& b) { return a.centre.z() < b.centre.z(); });
  for (std::size_t i = 0; i + 1 < slices.size(); ++i) {
    const Slice &low = slices[i], &high = slices[i + 1];
    const double hole = high.centre.z() - high.radius - low.centre.z() - low.radius;
    if (hole < kHole * scale) continue;
    const int count = static_cast<int>(std::ceil(hole / (1.5 * kRadius * scale)));
    for (int k = 1; k <= count; ++k) {
      const Vec3 centre = low.centre + (high.centre - low.centre) * k / (count + 1.0);
      FitSegment* owner = bodies[0];
      for (FitSegment* body : bodies) {
        const double z = body->rest_position.z();
        if (z < centre.z() && z > owner->rest_position.z()) owner = body;
      }
      owner->geoms.push_back(across(*owner, trunk, centre, kHalfLength * scale, kRadius * scale));
    }
  }
}

}  // namespace

void give_masses(std::vector<FitSegment>& segments, double mass, double height) {
  const double scale = height / kUsualHeight;
  const Trunk trunk = find_trunk(segments, scale);
  double total = 0;
  for (FitSegment& segment : segments) {
    // A part made of several bodies shares its mass by length.
    double length = 0;
    for (const FitSegment& other : segments) {
      if (other.part == segment.part && other.side == segment.side)
        length += std::max(0.02, other.tip.norm());
    }
    segment.mass = part_mass(segments, segment) * std::max(0.02, segment.tip.norm()) / length;
    total += segment.mass;
  }
  for (FitSegment& segment : segments) {
    segment.mass *= mass / total;
    const Quat upright = Quat(Mat3((Mat3() << trunk.forward, trunk.left, trunk.up).finished()));
    switch (segment.part) {
      case Part::upper_arm:
      case Part::forearm:
      case Part::thigh:
      case Part::shank: {
        const LimbData data = limb_data(segment.part);
        const double length = std::max(0.05, segment.tip.norm());
        const Vec3 along = segment.tip.norm() > 1e-6 ? segment.tip.normalized() : segment.to_local(-trunk.up);
        segment.com = data.com * length * along;
        const double square = segment.mass * length * length;
        segment.inertia =
            square * (data.across * data.across * (Mat3::Identity() - along * along.transpose()) +
                      data.along * data.along * along * along.transpose());
        break;
      }
      case Part::hand: {
        const double length = hand_length(segment, scale);
        segment.com = 0.4 * length * hand_direction(segment);
        segment.inertia =
            box_inertia(segment.mass, {length, 0.085 * scale, 0.035 * scale}, hand_rotation(segment, trunk));
        break;
      }
      case Part::foot:
      case Part::toes: {  // the box of its shape
        for (const FitGeom& geom : segment.geoms) {
          if (geom.use != FitGeom::Use::foot || geom.shape != FitGeom::Shape::box) continue;
          segment.com = geom.from;
          segment.inertia = box_inertia(segment.mass, 2 * geom.half, geom.rotation);
        }
        break;
      }
      default:
        segment.com = segment.point_to_local(trunk_centre(segments, segment, trunk, scale));
        segment.inertia = box_inertia(segment.mass, 2 * scale * half_size(segment.part),
                                      segment.rest_rotation.conjugate() * upright);
    }
  }
}

void give_shapes(std::vector<FitSegment>& segments, double height) {
  const double scale = height / kUsualHeight;
  const Trunk trunk = find_trunk(segments, scale);
  const int chest = find_segment(segments, Role::chest);
  const bool has_head = find_segment(segments, Role::head) >= 0;
  const bool has_spine = find_segment(segments, Role::spine) >= 0;
  for (FitSegment& segment : segments) {
    const Vec3 centre = trunk_centre(segments, segment, trunk, scale);
    switch (segment.part) {
      case Part::pelvis:
        segment.geoms.push_back(across(segment, trunk, centre, trunk.hip_width - 0.02 * scale, 0.09 * scale));
        if (chest >= 0) {  // where no spine fills the waist
          const Vec3 waist = 0.5 * (centre + segments[chest].rest_position);
          if (!has_spine)
            segment.geoms.push_back(across(segment, trunk, waist, 0.055 * scale, 0.085 * scale));
          break;
        }
        segment.geoms.push_back(
            across(segment, trunk, 0.5 * (centre + trunk.shoulders), 0.06 * scale, 0.095 * scale));
        segment.geoms.push_back(across(segment, trunk, trunk.shoulders - 0.05 * scale * trunk.up,
                                       trunk.shoulder_width - 0.09 * scale, 0.08 * scale));
        break;
      case Part::abdomen:
        segment.geoms.push_back(across(segment, trunk, centre, 0.055 * scale,
                                       std::clamp(0.6 * segment.tip.norm(), 0.085 * scale, 0.10 * scale)));
        break;
      case Part::chest: {
        const Vec3 reach = trunk.shoulders - segment.rest_position;
        const double tall = reach.dot(trunk.up);
        const Vec3 top =
            trunk.shoulders - 0.5 * reach.dot(trunk.forward) * trunk.forward - 0.03 * scale * trunk.up;
        segment.geoms.push_back(
            across(segment, trunk, top, trunk.shoulder_width - 0.10 * scale, 0.078 * scale));
        segment.geoms.push_back(
            across(segment, trunk, top - 0.10 * scale * trunk.up, 0.07 * scale, 0.092 * scale));
        if (tall > 0.2 * scale) {
          segment.geoms.push_back(across(segment, trunk, segment.rest_position + 0.04 * scale * trunk.up,
                                         0.06 * scale, 0.09 * scale));
        }
        break;
      }
      case Part::neck: {
        if (has_head) {
          segment.geoms.push_back(capsule(Vec3::Zero(), segment.tip, 0.048 * scale));
          break;
        }
        const Vec3 way = segment.tip.norm() > 0.02 ? segment.tip.normalized() : segment.to_local(trunk.up);
        segment.geoms.push_back(capsule(Vec3::Zero(), 0.08 * scale * way, 0.048 * scale));
        segment.geoms.push_back(capsule(0.14 * scale * way, 0.195 * scale * way, 0.085 * scale));
        break;
      }
      case Part::head: {
        const Vec3 middle = segment.point_to_local(centre);
        const Vec3 way = segment.tip.norm() > 0.02 ? segment.tip.normalized() : segment.to_local(trunk.up);
        segment.geoms.push_back(
            capsule(middle - 0.025 * scale * way, middle + 0.03 * scale * way, 0.085 * scale));
        break;
      }
      case Part::clavicle:
        segment.geoms.push_back(capsule(0.2 * segment.tip, 0.9 * segment.tip, 0.045 * scale));
        break;
      case Part::upper_arm:
      case Part::forearm:
      case Part::thigh:
      case Part::shank: {
        // As thick as the mass asks for, the round ends reaching a little over the joints.
        const double length = std::max(0.05, segment.tip.norm());
        const double slim = segment.part == Part::thigh ? 0.87 : segment.part == Part::shank ? 1.08 : 1.0;
        const double radius = slim * std::sqrt(segment.mass / (kDensity * kPi * length));
        const double inset = std::min(0.4, 0.6 * radius / length);
        segment.geoms.push_back(capsule(0.5 * inset * segment.tip, (1 - inset) * segment.tip, radius));
        if (segment.part == Part::forearm && find_segment(segments, Part::hand, segment.side) < 0) {
          segment.geoms.push_back(capsule(segment.tip, segment.tip, 0.042 * scale));  // a fist
        }
        break;
      }
      case Part::hand: {
        const double length = hand_length(segment, scale);
        FitGeom palm;
        palm.shape = FitGeom::Shape::box;
        palm.from = 0.5 * length * hand_direction(segment);
        palm.half = {0.5 * length, 0.042 * scale, 0.014 * scale};
        palm.rotation = hand_rotation(segment, trunk);
        segment.geoms.push_back(palm);
        break;
      }
      case Part::foot:
      case Part::toes:
        break;  // shape_feet
    }
  }
  fill_trunk(segments, trunk, scale);
}

}  // namespace stunt
