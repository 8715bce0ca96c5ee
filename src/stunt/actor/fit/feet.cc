#include <algorithm>
#include <cmath>
#include <optional>

#include "stunt/actor/fit/parts.h"

namespace stunt {
namespace {

constexpr double kContactRadius = 0.01;  // m
constexpr double kRest = 0.05;           // s, of a foot at rest, that shows where its sole is
constexpr int kFewest = 2, kMany = 5;    // frames, at least and at most

// Lengths for a person of 1.75 m (Winter 2009: foot 0.152, height of the ankle 0.039 of the stature); others
// scale.
constexpr double kBallForward = 0.135, kBallHeight = 0.035, kAnkleAboveBall = 0.04, kToeLength = 0.065;
constexpr double kHeelBehind = 0.3;  // of the distance from ankle to ball
// m, from the ankle: who has less cannot stand. Rigs of games have their toes' joint right under the ankle.
constexpr double kLeastHeel = 0.03, kLeastTip = 0.16;
constexpr double kHeelAside = 0.03, kBallAside = 0.04, kTipAside = 0.033;

constexpr double kHighAnkle = 0.06;  // m above the foot's shape

// One foot in one frame.
struct Stand {
  Quat foot;
  double ball_z, ankle_z, ball_speed, ankle_speed;
  bool shank_upright;
  int frame;
};

struct Foot {
  int shank, foot, toes;  // segments; toes may be -1
  Vec3 ball;              // m, in the foot's axes
};

double percentile(std::vector<double> values, double fraction) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Foot find_foot(const std::vector<FitSegment>& segments, Side side, double scale) {
  Foot foot{find_segment(segments, Part::shank, side), find_segment(segments, Part::foot, side),
            find_segment(segments, Part::toes, side), Vec3::Zero()};
  const FitSegment& segment = segments[foot.foot];
  if (foot.toes >= 0) {
    foot.ball = segments[foot.toes].offset;
  } else if (segment.tip.norm() > 0.05) {
    foot.ball = segment.tip;  // the skeleton's foot ends at the toes or the ball: take the ball's share of it
    foot.ball *= std::min(1.0, kBallForward * scale / segment.tip.norm());
  } else {  // straight ahead of the hips
    const Vec3 left = segments[find_segment(segments, Role::left_thigh)].rest_position -
                      segments[find_segment(segments, Role::right_thigh)].rest_position;
    const Vec3 forward = left.cross(Vec3::UnitZ()).normalized();
    foot.ball = segment.to_local(kBallForward * scale * forward - kAnkleAboveBall * scale * Vec3::UnitZ());
  }
  return foot;
}

std::vector<Stand> watch(const std::vector<FitSegment>& segments, const Foot& foot,
                         const SampledPoses& samples) {
  std::vector<Stand> stands;
  const int joint = segments[foot.foot].joint, knee = segments[foot.shank].joint;
  for (std::size_t f = 0; f < samples.poses.size(); ++f) {
    const JointTransforms &a = samples.poses[f], &b = samples.next[f];
    const Vec3 ball_a = a.positions[joint] + a.rotations[joint] * foot.ball;
    const Vec3 ball_b = b.positions[joint] + b.rotations[joint] * foot.ball;
    const Vec3 shank = a.positions[knee] - a.positions[joint];
    stands.push_back({a.rotations[joint], ball_a.z(), a.positions[joint].z(),
                      (ball_b - ball_a).norm() / samples.frame_time,
                      (b.positions[joint] - a.positions[joint]).norm() / samples.frame_time,
                      shank.z() > 0.7 * shank.norm(), static_cast<int>(f)});
  }
  return stands;
}

// Frames in which a foot may stand flat: slow, and under an upright shank. Running feet rest only for a
// moment.
std::vector<Stand> slow_frames(const std::vector<Stand>& stands, std::size_t fewest) {
  for (const double limit : {0.2, 0.6}) {  // m/s
    std::vector<Stand> slow;
    for (const Stand& s : stands) {
      if (s.shank_upright && s.ball_speed < limit && s.ankle_speed < limit) slow.push_back(s);
    }
    if (slow.size() >= fewest) return slow;
  }
  return {};
}

// The flat ones of them: those with the ankle low over the ball; a raised heel is not a sole on the ground.
std::vector<Stand> flat_frames(std::vector<Stand> slow, double ground, std::size_t fewest) {
  std::erase_if(slow, [&](const Stand& s) { return s.ball_z > ground + 0.035; });
  if (slow.size() < fewest) return {};
  std::sort(slow.begin(), slow.end(),
            [](const Stand& a, const Stand& b) { return a.ankle_z - a.ball_z < b.ankle_z - b.ball_z; });
  const std::size_t first = slow.size() / 10,
                    last = std::max<std::size_t>(first + fewest, slow.size() * 6 / 10);
  return {slow.begin() + static_cast<std::ptrdiff_t>(first),
          slow.begin() + static_cast<std::ptrdiff_t>(std::min(last, slow.size()))};
}

// Without a frame that shows it: as the foot stands in the file's own rest pose, if the ball is there ahead of the ankle and
// below it as feet have it. Rigs of games stand so, and walk for no frame with a foot at rest.
std::optional<Vec3> up_at_rest(const std::vector<FitSegment>& segments, const Foot& foot, double scale) {
  const FitSegment& segment = segments[foot.foot];
  const Vec3 ball = segment.rest_rotation * foot.ball;
  const double below = -ball.z() / scale, ahead = ball.head<2>().norm() / scale;
  if (below < 0.5 * kAnkleAboveBall || below > 3 * kAnkleAboveBall || ahead < 0.3 * kBallForward) return {};
  return segment.to_local(Vec3::UnitZ());
}

// Otherwise: the shank upright, the ankle as much higher than the ball as in most people.
Vec3 usual_up(const std::vector<FitSegment>& segments, const Foot& foot, double scale) {
  const FitSegment& segment = segments[foot.foot];
  const Vec3 shank = segment.point_to_local(segments[foot.shank].rest_position);
  const Vec3 ahead = foot.ball.normalized();
  const Vec3 across = (shank - shank.dot(ahead) * ahead).normalized();
  const double sine = std::min(0.9, kAnkleAboveBall * scale / foot.ball.norm());
  return std::sqrt(1 - sine * sine) * across - sine * ahead;
}

Sole make_sole(const std::vector<FitSegment>& segments, const Foot& foot, const std::vector<Stand>& flat,
               double ball_height, double scale, bool rest_stands) {
  Sole sole;
  const auto unseen_up = [&] {
    const auto up = rest_stands ? up_at_rest(segments, foot, scale) : std::nullopt;
    sole.as_at_rest = up.has_value();
    return up ? *up : usual_up(segments, foot, scale);
  };
  sole.seen = !flat.empty();
  Vec3 up = Vec3::Zero();
  for (const Stand& s : flat) up += s.foot.conjugate() * Vec3::UnitZ();
  sole.up = sole.seen ? up.normalized() : unseen_up();
  // A foot that stands on its toes or heel throughout shows no sole.
  if (sole.seen && std::abs(sole.up.dot(foot.ball.normalized())) > 0.8) {
    sole.up = unseen_up();
    sole.seen = false;
  }
  const Vec3 ahead = foot.ball - foot.ball.dot(sole.up) * sole.up;
  sole.ball_forward = ahead.norm();
  sole.forward = ahead.normalized();
  sole.left = sole.up.cross(sole.forward);
  sole.ankle_height = std::max(0.03 * scale, ball_height - foot.ball.dot(sole.up));
  sole.toe_length = kToeLength * scale;
  if (foot.toes >= 0) {
    const FitSegment& toes = segments[foot.toes];
    sole.toe_axis = toes.rest.conjugate() * sole.left;
    double angle = 0;
    for (const Stand& s : flat)
      angle += twist_angle(toes.turns[s.frame], sole.toe_axis) / static_cast<double>(flat.size());
    sole.toes = axis_angle(sole.toe_axis, angle);
    if (toes.tip.norm() > 0) {
      sole.toe_length = std::clamp(toes.tip.norm(), 0.7 * kToeLength * scale, 1.4 * kToeLength * scale);
    }
  }
  sole.toe_length = std::max(sole.toe_length, kLeastTip * scale - sole.ball_forward);
  return sole;
}

FitGeom contact(const Vec3& at) {
  FitGeom geom;
  geom.use = FitGeom::Use::sole;
  geom.from = at;
  geom.radius = kContactRadius;
  return geom;
}

FitGeom box(const Sole& sole, double back, double front, double half_width, double thickness) {
  FitGeom geom;
  geom.shape = FitGeom::Shape::box;
  geom.use = FitGeom::Use::foot;
  geom.from = sole.point(0.5 * (back + front), 0, 0.5 * thickness);
  geom.half = {0.5 * (front - back), half_width, 0.5 * thickness};
  Mat3 axes;
  axes << sole.forward, sole.left, sole.up;
  geom.rotation = Quat(axes);
  return geom;
}

void shape_foot(std::vector<FitSegment>& segments, Side side, const Sole& sole, double scale) {
  FitSegment& foot = segments[find_segment(segments, Part::foot, side)];
  const int toes_index = find_segment(segments, Part::toes, side);
  const double heel = -std::max(kHeelBehind * sole.ball_forward, kLeastHeel * scale),
               tip = sole.ball_forward + sole.toe_length;
  const double ball = toes_index >= 0 ? sole.ball_forward : sole.ball_forward + 0.8 * sole.toe_length;
  for (const double aside : {1.0, -1.0}) {
    foot.geoms.push_back(contact(sole.point(heel, aside * kHeelAside * scale, kContactRadius)));
  }
  if (toes_index < 0) {
    for (const double aside : {1.0, -1.0}) {
      foot.geoms.push_back(contact(sole.point(ball, aside * kBallAside * scale, kContactRadius)));
    }
  }
  const double thickness = std::min(0.06 * scale, 0.9 * sole.ankle_height);
  foot.geoms.push_back(box(sole, heel - kContactRadius, ball, 0.042 * scale, thickness));
  if (sole.ankle_height - thickness > kHighAnkle * scale) {  // no hole between shin and foot
    FitGeom ankle;
    ankle.shape = FitGeom::Shape::capsule;
    ankle.to = sole.point(0, 0, thickness);
    ankle.use = FitGeom::Use::foot;
    ankle.radius = 0.035 * scale;
    foot.geoms.push_back(ankle);
  }
  if (toes_index < 0) return;
  // The ball's points belong to the toes: these lie still on the ground while the foot rolls over the joint
  // above them.
  FitSegment& toes = segments[toes_index];
  const Quat to_toes = toes.rest.conjugate();
  const auto place = [&](FitGeom geom) {
    geom.from = to_toes * (geom.from - toes.offset);
    geom.rotation = to_toes * geom.rotation;
    toes.geoms.push_back(geom);
  };
  for (const double aside : {1.0, -1.0}) {
    place(contact(sole.point(ball, aside * kBallAside * scale, kContactRadius)));
  }
  for (const double aside : {1.0, -1.0}) {
    place(contact(sole.point(tip - kContactRadius, aside * kTipAside * scale, kContactRadius)));
  }
  place(box(sole, sole.ball_forward, tip, 0.04 * scale, 0.6 * thickness));
}

}  // namespace

Soles find_soles(const std::vector<FitSegment>& segments, const SampledPoses& samples, double height,
                 bool rest_stands) {
  const double scale = height / kUsualHeight;
  const auto fewest =
      static_cast<std::size_t>(std::clamp<double>(std::round(kRest / samples.frame_time), kFewest, kMany));
  const Foot feet[2] = {find_foot(segments, Side::left, scale), find_foot(segments, Side::right, scale)};
  std::vector<Stand> slow[2];
  std::vector<double> heights;
  for (int i = 0; i < 2; ++i) {
    slow[i] = slow_frames(watch(segments, feet[i], samples), fewest);
    for (const Stand& s : slow[i]) heights.push_back(s.ball_z);
  }
  const double ground = heights.empty() ? 0 : percentile(heights, 0.1);
  std::vector<Stand> flat[2];
  double ball[2] = {kBallHeight * scale, kBallHeight * scale};
  double mean = 0;
  int seen = 0;
  for (int i = 0; i < 2; ++i) {
    flat[i] = flat_frames(slow[i], ground, fewest);
    if (flat[i].empty()) continue;
    heights.clear();
    for (const Stand& s : flat[i]) heights.push_back(s.ball_z);
    ball[i] = percentile(heights, 0.5);
    mean += ball[i];
    ++seen;
  }
  // The captured floor is at 0 if that puts the balls of the feet where they can be; otherwise it is found
  // elsewhere. Left and right keep their difference: captured ankles are seldom placed alike.
  if (seen > 0) {
    mean /= seen;
    const double floor = mean > 0.02 * scale && mean < 0.06 * scale ? 0 : mean - kBallHeight * scale;
    for (int i = 0; i < 2; ++i) {
      if (!flat[i].empty()) ball[i] = std::clamp(ball[i] - floor, 0.015 * scale, 0.07 * scale);
    }
  }
  return {make_sole(segments, feet[0], flat[0], ball[0], scale, rest_stands),
          make_sole(segments, feet[1], flat[1], ball[1], scale, rest_stands)};
}

void lay_toes_flat(std::vector<FitSegment>& segments, const Soles& soles) {
  for (const auto& [sole, side] : {std::pair{soles.left, Side::left}, {soles.right, Side::right}}) {
    const int index = find_segment(segments, Part::toes, side);
    if (index < 0) continue;
    FitSegment& toes = segments[index];
    toes.rest = toes.rest * sole.toes;
    toes.rest_rotation = toes.rest_rotation * sole.toes;
    for (Quat& turn : toes.turns) turn = sole.toes.conjugate() * turn;
  }
}

void shape_feet(std::vector<FitSegment>& segments, const Soles& soles, double height) {
  shape_foot(segments, Side::left, soles.left, height / kUsualHeight);
  shape_foot(segments, Side::right, soles.right, height / kUsualHeight);
}

}  // namespace stunt
