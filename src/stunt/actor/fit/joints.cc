#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "stunt/actor/fit/hinges.h"
#include "stunt/actor/fit/parts.h"

namespace stunt {
namespace {

constexpr double kCloseEnough = 0.5e-3;  // m: what a hinge may move the next joint from where it was captured
constexpr double kCloseEnoughAtTheEnd = radians(1);  // of a limb, where nothing follows
constexpr double kMostMoved =
    0.015;  // m: what a hinge may move the end of the limb, for nearly all of the time
constexpr double kWorthSaying = 0.005;  // m
constexpr double kWidestHinge = radians(200);
constexpr double kMargin = radians(10);        // beyond the clip's own range
constexpr double kWidestMiddle = radians(75);  // of three hinges, before they line up at 90 degrees

// The range of a healthy body about one axis, generous (rad).
struct Range {
  double lower, upper;
};

double ball_range(Part part) {
  switch (part) {
    case Part::thigh:
      return 2.4;
    case Part::upper_arm:
      return 2.7;
    case Part::clavicle:
      return 0.8;
    default:
      return 1.2;
  }
}

// The main axis of a joint's rotations, through the rest pose (principal component of the rotation vectors).
Vec3 main_axis(const std::vector<Quat>& turns, double& largest) {
  Mat3 sum = Mat3::Zero();
  largest = 0;
  for (const Quat& turn : turns) {
    const Vec3 w = log_map(turn);
    sum += w * w.transpose();
    largest = std::max(largest, w.norm());
  }
  return Eigen::SelfAdjointEigenSolver<Mat3>(sum).eigenvectors().col(2);
}

class JointChooser {
 public:
  JointChooser(std::vector<FitSegment>& segments, const Soles& soles, std::vector<std::string>& notes)
      : segments_(segments), soles_(soles), notes_(notes) {
    left_ = segments[find_segment(segments, Role::left_thigh)].rest_position -
            segments[find_segment(segments, Role::right_thigh)].rest_position;
    left_.z() = 0;
    left_ = left_.norm() > 1e-6 ? left_.normalized() : Vec3(Vec3::UnitY());
    forward_ = left_.cross(Vec3::UnitZ());
  }

  void run() {
    // Knees and elbows first: what they cannot do goes to their neighbours.
    for (const bool hinges : {true, false}) {
      for (int i = 0; i < static_cast<int>(segments_.size()); ++i) {
        FitSegment& segment = segments_[i];
        const bool hinge = segment.part == Part::shank || segment.part == Part::forearm;
        if (segment.parent < 0 || hinge != hinges) continue;
        reach_ = 0;
        for (const int child : children_of(segments_, i)) {
          reach_ = std::max(reach_, segments_[child].offset.norm());
        }
        if (hinge)
          choose_hinge(i);
        else if (segment.part == Part::foot)
          choose_ankle(segment);
        else if (segment.part == Part::hand)
          choose_wrist(segment);
        else if (segment.part == Part::toes)
          choose_toes(segment);
        else
          make_ball(segment);
      }
    }
  }

 private:
  double allowed_angle() const { return reach_ > 1e-3 ? kCloseEnough / reach_ : kCloseEnoughAtTheEnd; }

  void choose_hinge(int index) {
    FitSegment& segment = segments_[index];
    const bool knee = segment.part == Part::shank;
    const Vec3 bone = segment.tip.norm() > 1e-6 ? segment.tip.normalized() : segment.to_local(-Vec3::UnitZ());
    double largest = 0;
    Vec3 axis = main_axis(segment.turns, largest);
    // The axis that bodies have: what bends hardly at all does not show its own.
    Vec3 usual = segment.to_local(
        knee || std::abs((segment.rest_rotation * bone).z()) > 0.7 ? left_ : Vec3(Vec3::UnitZ()));
    usual = (usual - usual.dot(bone) * bone).normalized();
    if (largest < radians(2)) axis = usual;
    // Bending is positive: a knee takes the foot back, even where the rest pose is more bent than the clip; an elbow bends
    // the way it does in the clip.
    double sum = 0;
    for (const Quat& turn : segment.turns) sum += twist_angle(turn, axis);
    const bool sideways = std::abs(axis.dot(segment.to_local(left_))) > 0.5;
    const bool wrong_way = knee && (sideways || largest < radians(20))
                               ? axis.cross(bone).dot(segment.to_local(forward_)) > 0
                               : sum < 0;
    if (wrong_way) axis = -axis;

    const auto [residual, range] = off_hinge(segment.turns, axis);
    if (residual <= std::max(allowed_angle(), 1e-6)) {
      segment.movement.hinges = {limited("", axis, {radians(-10), radians(150)}, range)};
      return;
    }
    if (make_nearly_hinge(index, fit_hinge(segment.turns, axis), axis, bone)) return;
    // Turned about its own bone the lower limb hides its hinge, and moves nothing: that goes to foot or hand.
    if (usual.dot(axis) < 0) usual = -usual;
    std::vector<Quat> swings;
    for (const Quat& turn : segment.turns)
      swings.push_back(turn * axis_angle(bone, -twist_angle(turn, bone)));
    if (make_nearly_hinge(index, fit_hinge(swings, usual), usual, bone)) return;
    if (make_nearly_hinge(index, {mean_offset(swings, usual), usual}, usual, bone)) return;
    notes_.push_back(fmt::format(
        "The {} does not bend like a hinge (it is up to {:.1f} degrees off), so it gets three axes.",
        std::string(knee ? "knee" : "elbow") + " at " + segment.name, degrees(residual)));
    const Vec3 across = (bone - bone.dot(axis) * axis).cross(axis).normalized();
    make_stack(segment, axis, across, {radians(-10), radians(150)}, {radians(-10), radians(10)},
               knee ? Range{radians(-20), radians(20)} : Range{radians(-90), radians(90)});
  }

  // What rotations do beside a hinge (rad, at most), and how far they turn about it.
  static std::pair<double, Range> off_hinge(const std::vector<Quat>& turns, const Vec3& axis) {
    double residual = 0, angle = 0;
    Range range{0, 0};
    for (const Quat& turn : turns) {
      angle = unwrap(twist_angle(turn, axis), angle);
      residual = std::max(residual, angle_between(axis_angle(axis, angle), turn));
      range = {std::min(range.lower, angle), std::max(range.upper, angle)};
    }
    return {residual, range};
  }

  // Knees and elbows bend about one axis; what a capture has beside that is mostly where its markers sat. The
  // upper bone's twist takes what would move the end of the limb, and the joint there keeps the direction of
  // foot or hand. False, with nothing changed, where the end would still be moved noticeably.
  bool make_nearly_hinge(int index, const HingeFit& fit, const Vec3& first_axis, const Vec3& bone) {
    FitSegment& lower = segments_[index];
    const int child = longest_child(segments_, index);
    if (child < 0 || segments_[lower.parent].parent < 0 || lower.offset.norm() < 0.05) return false;
    Vec3 axis = (fit.axis - fit.axis.dot(bone) * bone).normalized();
    if (!axis.allFinite() || fit.axis.cross(bone).norm() < 0.5) return false;
    if (axis.dot(first_axis) < 0) axis = -axis;
    const HingedLimb limb{lower.offset.normalized(), lower.rest * fit.offset, axis,
                          segments_[child].offset.normalized()};
    std::vector<LimbSetting> settings;
    std::vector<double> misses;
    Range range{0, 0};
    double angle = 0;
    for (const Quat& turn : lower.turns) {
      const double near = unwrap(twist_angle(fit.offset.conjugate() * turn, axis), angle);
      settings.push_back(set_limb(limb, lower.rest * turn * limb.lower, near));
      angle = unwrap(settings.back().angle, near);
      settings.back().angle = angle;
      range = {std::min(range.lower, angle), std::max(range.upper, angle)};
      misses.push_back(settings.back().miss * segments_[child].offset.norm());
    }
    std::vector<double> sorted = misses;
    std::sort(sorted.begin(), sorted.end());
    const double usual = sorted[static_cast<std::size_t>(0.95 * static_cast<double>(sorted.size() - 1))];
    if (usual > kMostMoved || range.upper - range.lower > kWidestHinge) return false;
    if (sorted.back() > kWorthSaying) {
      notes_.push_back(
          fmt::format("The {} at {} bends about one axis; what the clip has beside that goes to the joints "
                      "above and below, "
                      "which moves the {} by {:.0f} mm at most.",
                      lower.part == Part::shank ? "knee" : "elbow", lower.name,
                      lower.part == Part::shank ? "ankle" : "wrist", 1000 * sorted.back()));
    }
    carry_out(index, limb, fit.offset, settings);
    lower.movement.hinges = {limited("", axis, {radians(-10), radians(150)}, range)};
    return true;
  }

  // The turns of the bodies around the hinge as they are with it: nothing else turns in the world.
  void carry_out(int index, const HingedLimb& limb, const Quat& offset,
                 const std::vector<LimbSetting>& settings) {
    FitSegment& lower = segments_[index];
    FitSegment& upper = segments_[lower.parent];
    for (std::size_t f = 0; f < settings.size(); ++f) {
      const Quat twist = axis_angle(limb.upper, settings[f].twist);
      const Quat hinge = axis_angle(limb.axis, settings[f].angle);
      const Quat change = (lower.rest * lower.turns[f]).conjugate() * twist * limb.rest * hinge;
      for (const int c : children_of(segments_, index)) {
        FitSegment& child = segments_[c];
        child.turns[f] =
            (child.rest.conjugate() * change.conjugate() * child.rest * child.turns[f]).normalized();
      }
      for (const int c : children_of(segments_, lower.parent)) {
        if (c == index) continue;
        FitSegment& child = segments_[c];
        child.turns[f] =
            (child.rest.conjugate() * twist.conjugate() * child.rest * child.turns[f]).normalized();
      }
      upper.turns[f] = (upper.turns[f] * twist).normalized();
      lower.turns[f] = hinge;
    }
    lower.rest = (lower.rest * offset).normalized();
    lower.rest_rotation = (lower.rest_rotation * offset).normalized();
  }

  void choose_ankle(FitSegment& segment) {
    const Sole& sole = segment.side == Side::left ? soles_.left : soles_.right;
    make_stack(segment, sole.left, sole.forward, {radians(-50), radians(50)}, {radians(-30), radians(30)},
               {radians(-30), radians(30)});
  }

  void choose_wrist(FitSegment& segment) {
    const Vec3 hand = segment.tip.norm() > 1e-3 ? segment.tip.normalized()
                                                : (segment.rest.conjugate() * segment.offset).normalized();
    // Palms face down in a T-pose, and the body where the arms hang.
    const bool hanging = std::abs((segment.rest_rotation * hand).z()) > 0.7;
    Vec3 bend = segment.to_local(forward_);
    if (std::abs(bend.dot(hand)) > 0.9) bend = segment.to_local(hanging ? left_ : Vec3(Vec3::UnitZ()));
    bend = (bend - bend.dot(hand) * hand).normalized();
    make_stack(segment, bend, hand.cross(bend), {radians(-80), radians(80)}, {radians(-40), radians(40)},
               {radians(-90), radians(90)});
  }

  void choose_toes(FitSegment& segment) {
    const Sole& sole = segment.side == Side::left ? soles_.left : soles_.right;
    Range range{0, 0};
    for (const Quat& turn : segment.turns) {
      const double angle = twist_angle(turn, sole.toe_axis);
      range = {std::min(range.lower, angle), std::max(range.upper, angle)};
    }
    FitHinge hinge = limited("", sole.toe_axis, {radians(-60), radians(60)}, range);
    hinge.lower =
        std::max(hinge.lower, radians(-100));  // toes are badly captured; further than this is noise
    hinge.upper = std::min(hinge.upper, radians(100));
    segment.movement.hinges = {hinge};
  }

  // Three hinges at right angles, the last left out where the clip does not need it; a ball joint where the
  // middle one would come near the place where the first and last line up.
  void make_stack(FitSegment& segment, const Vec3& first, const Vec3& second, Range bend, Range aside,
                  Range twist) {
    Mat3 axes;
    axes << first, second, first.cross(second);
    Vec3 low = Vec3::Zero(), high = Vec3::Zero(), angles = Vec3::Zero();
    double widest = 0;
    for (const Quat& turn : segment.turns) {
      angles = hinge_angles(turn, axes, angles);
      low = low.cwiseMin(angles);
      high = high.cwiseMax(angles);
      widest =
          std::max(widest, std::abs(std::asin(std::clamp(axes.col(0).dot(turn * axes.col(2)), -1.0, 1.0))));
    }
    if (widest > kWidestMiddle || (high - low).maxCoeff() > 1.9 * kPi) {
      make_ball(segment);
      return;
    }
    segment.movement.hinges = {limited("_bend", axes.col(0), bend, {low[0], high[0]}),
                               limited("_side", axes.col(1), aside, {low[1], high[1]})};
    if (std::max(-low[2], high[2]) > allowed_angle()) {
      segment.movement.hinges.push_back(limited("_twist", axes.col(2), twist, {low[2], high[2]}));
    }
  }

  void make_ball(FitSegment& segment) const {
    segment.movement.ball = true;
    double largest = 0;
    for (const Quat& turn : segment.turns) largest = std::max(largest, log_map(turn).norm());
    // The limit of a ball joint is a cone about the rest pose, which ends at pi.
    const double range = std::max(ball_range(segment.part), largest + 0.3);
    segment.movement.ball_range = range <= 2.9 ? range : (largest + 0.1 < 2.9 ? 2.9 : 0.0);
  }

  static FitHinge limited(const std::string& name, const Vec3& axis, Range usual, Range clip) {
    return {name, axis, std::min(usual.lower, clip.lower - kMargin),
            std::max(usual.upper, clip.upper + kMargin)};
  }

  std::vector<FitSegment>& segments_;
  const Soles& soles_;
  std::vector<std::string>& notes_;
  Vec3 left_, forward_;
  double reach_ = 0;  // m, to the next joint
};

}  // namespace

void choose_joints(std::vector<FitSegment>& segments, const Soles& soles, std::vector<std::string>& notes) {
  JointChooser(segments, soles, notes).run();
  for (FitSegment& segment : segments) {  // a hinge may have moved its rest pose
    if (segment.parent < 0) continue;
    const FitSegment& parent = segments[segment.parent];
    segment.rest_rotation = parent.rest_rotation * segment.rest;
    segment.rest_position = parent.rest_position + parent.rest_rotation * segment.offset;
  }
}

}  // namespace stunt
