#include "stunt/actor/muscle/muscle_template.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "stunt/actor/dynamics.h"
#include "stunt/core/config.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

struct TemplateBody {  // m, kg
  double stature = 0, mass = 0, hip_width = 0, thigh = 0, shank = 0, foot = 0, trunk = 0, neck = 0,
         shoulder_width = 0, upper_arm = 0, forearm = 0;
};
struct TemplatePoint {
  std::string segment;
  Vec3 position;  // m
};
struct TemplateMuscle {
  std::string name, part;
  double force = 0, fibre = 0, tendon = 0;
  std::vector<TemplatePoint> path;
};
struct Template {
  TemplateBody body;
  std::vector<TemplateMuscle> muscles, ligaments;
};

std::vector<TemplatePoint> read_path(const std::string& text, const std::string& place) {
  std::vector<TemplatePoint> path;
  std::istringstream points(text);
  for (std::string point; std::getline(points, point, ',');) {
    std::istringstream words(point);
    TemplatePoint read;
    if (!(words >> read.segment >> read.position.x() >> read.position.y() >> read.position.z()))
      throw InputError(place, "'" + point + "'", "a segment and three numbers (mm)");
    read.position /= 1000;
    path.push_back(read);
  }
  return path;
}

Template read_template() {
  const std::string place = "muscles/human.yaml";
  Config file = Config::parse(embedded_file(place).value(), place);
  Template out;
  Config body = file.child("body");
  TemplateBody& b = out.body;
  body("stature", b.stature, above(0))("mass", b.mass, above(0))("hip_width", b.hip_width, above(0));
  body("thigh", b.thigh, above(0))("shank", b.shank, above(0))("foot", b.foot, above(0));
  body("trunk", b.trunk, above(0))("neck", b.neck, above(0))("shoulder_width", b.shoulder_width, above(0));
  body("upper_arm", b.upper_arm, above(0))("forearm", b.forearm, above(0));
  const auto read = [&](const char* key, std::vector<TemplateMuscle>& into) {
    for (Config& entry : file.list(key)) {
      TemplateMuscle muscle;
      std::string path;
      entry("name", muscle.name)("part", muscle.part)("force", muscle.force, above(0));
      entry("fibre", muscle.fibre, above(0))("tendon", muscle.tendon, above(0))("path", path);
      muscle.path = read_path(path, entry.where("path"));
      into.push_back(muscle);
    }
  };
  read("muscles", out.muscles);
  read("ligaments", out.ligaments);
  file.done();
  return out;
}

// Where a segment's points go: world = origin + axes * (scale * point), fixed to `body`.
struct Place {
  int body = -1;
  Vec3 origin = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  // columns forward, lateral, up; left-handed on the right side
  Vec3 scale = Vec3::Ones();
};

// The bones of a character in its rest pose.
class Bones {
 public:
  Bones(ActorPtr actor, const TemplateBody& like) : actor_(std::move(actor)), dynamics_(actor_), like_(like) {
    const int thigh[2] = {actor_->body(Role::left_thigh), actor_->body(Role::right_thigh)};
    int neck = actor_->body(Role::neck);
    const int head = actor_->body(Role::head), chest = actor_->body(Role::chest);
    if (neck < 0) neck = head;
    whole_ = thigh[0] >= 0 && thigh[1] >= 0 && actor_->body(Role::pelvis) >= 0 && chest >= 0 && neck >= 0 &&
             actor_->body(Role::left_shank) >= 0 && actor_->body(Role::right_shank) >= 0 &&
             actor_->body(Role::left_foot) >= 0 && actor_->body(Role::right_foot) >= 0;
    if (!whole_) return;
    hips_ = (at(thigh[0]) + at(thigh[1])) / 2;
    up_ = (at(neck) - hips_).normalized();
    left_ = at(thigh[0]) - at(thigh[1]);
    left_ = (left_ - left_.dot(up_) * up_).normalized();
    forward_ = left_.cross(up_);
    // From the hips to the neck: the line that the spine bends at.
    for (int body = chest; body >= 0 && body != actor_->body(Role::pelvis);
         body = actor_->bodies()[static_cast<std::size_t>(body)].parent)
      spine_.insert(spine_.begin(), body);
    neck_ = neck;
    head_ = head >= 0 ? head : neck;
    trunk_ = (at(neck) - hips_).dot(up_);
    // Legs and trunk make 0.91 of what a human is tall.
    const double legs = bone(Role::left_thigh, Role::left_shank) + bone(Role::left_shank, Role::left_foot);
    tall_ = (trunk_ + legs) / (like_.trunk + like_.thigh + like_.shank);
  }

  bool whole() const { return whole_; }
  double tall() const { return tall_; }

  // The ankle's axis points aside, the subtalar joint's 42 degrees up and 23 inwards of forward (Inman 1976).
  HeldAxis held_axis_of_foot(bool left) const {
    const Place foot = *foot_place(false, lateral(left), left);
    const double up = radians(42), inward = radians(23);
    const Vec3 subtalar(std::cos(up) * std::cos(inward), -std::cos(up) * std::sin(inward), std::sin(up));
    const Vec3 world = foot.axes * Vec3(0, 1, 0).cross(subtalar).normalized();
    return {foot.body, dynamics_.body_rotation(foot.body).conjugate() * world};
  }

  // Empty where the character has no such part.
  std::optional<MusclePoint> point(const TemplatePoint& wanted, bool left) const {
    const auto place = find(wanted, left);
    if (!place || place->body < 0) return std::nullopt;
    const Vec3 world = place->origin + place->axes * place->scale.cwiseProduct(wanted.position);
    return MusclePoint{place->body,
                       dynamics_.body_rotation(place->body).conjugate() * (world - at(place->body))};
  }

 private:
  Vec3 at(int body) const { return dynamics_.body_position(body); }
  int body(const char* part, bool left) const {
    return actor_->body(*role_from_name(std::string(left ? "left_" : "right_") + part));
  }
  double bone(Role from, Role to) const { return (at(actor_->body(to)) - at(actor_->body(from))).norm(); }
  Vec3 lateral(bool left) const { return left ? left_ : Vec3(-left_); }

  // Forward of the hips of the spine's joints at a height above them.
  double spine_line(double height) const {
    double below = 0, below_forward = 0;
    const auto look = [&](int body, double& result) {
      const Vec3 from = at(body) - hips_;
      const double z = from.dot(up_), x = from.dot(forward_);
      if (z > below + 1e-6 && height <= z) {
        result = below_forward + (x - below_forward) * std::max(0.0, height - below) / (z - below);
        return true;
      }
      below = z;
      below_forward = x;
      return false;
    };
    double result = 0;
    bool first = true;
    for (const int body : spine_) {
      if (first) {  // below the lowest joint the line goes straight down
        below = std::min(0.0, height) - 1;
        below_forward = (at(body) - hips_).dot(forward_);
        first = false;
      }
      if (look(body, result)) return result;
    }
    return look(neck_, result) ? result : below_forward;
  }

  // A limb's axes: up along its bone, lateral by the axis of its hinge (knee or elbow), or of the body where it has none.
  Mat3 limb_axes(const Vec3& from, const Vec3& to, int hinge_body, double bends_about_left, bool left) const {
    const Vec3 up = (from - to).normalized();
    Vec3 side = left_;  // the body's left
    for (const ActorJoint& joint : actor_->joints()) {
      if (joint.body != hinge_body || joint.type != JointType::hinge) continue;
      const double bends = joint.upper > -joint.lower ? 1 : -1;
      side = bends_about_left * bends * (dynamics_.body_rotation(hinge_body) * joint.axis);
      break;
    }
    side = (side - side.dot(up) * up).normalized();
    Mat3 axes;
    axes << side.cross(up), left ? side : Vec3(-side), up;
    return axes;
  }

  std::optional<Place> find(const TemplatePoint& wanted, bool left) const {
    const std::string& segment = wanted.segment;
    const Vec3 side = lateral(left);
    Mat3 standing;
    standing << forward_, side, up_;
    const double tall = tall_;
    const auto to_spine = [&](int fixed_to, double wide) {
      const double height = wanted.position.z() * trunk_ / like_.trunk;
      return Place{fixed_to, hips_ + spine_line(height) * forward_, standing,
                   Vec3(tall, wide, trunk_ / like_.trunk)};
    };
    if (segment == "pelvis") {
      const double width = (at(body("thigh", true)) - at(body("thigh", false))).norm();
      return Place{actor_->body(Role::pelvis), hips_, standing, Vec3(tall, width / like_.hip_width, tall)};
    }
    if (segment == "sacrum") return to_spine(actor_->body(Role::pelvis), tall);
    if (segment == "vertebra") {
      const double height = wanted.position.z() * trunk_ / like_.trunk;
      int own = actor_->body(Role::pelvis);
      for (const int one : spine_) {
        if ((at(one) - hips_).dot(up_) <= height) own = one;
      }
      return to_spine(own, tall);
    }
    if (segment == "ribs") {
      const int arms[2] = {body("upper_arm", true), body("upper_arm", false)};
      const double width =
          arms[0] >= 0 && arms[1] >= 0 ? (at(arms[0]) - at(arms[1])).norm() / like_.shoulder_width : tall;
      return to_spine(spine_.back(), width);
    }
    if (segment == "cervical" || segment == "skull") {
      const bool two = head_ != neck_;
      const Vec3 joint = two && segment == "skull" ? at(head_) : at(neck_);
      if (segment == "skull") {
        const Vec3 raise = two ? Vec3(Vec3::Zero()) : Vec3(like_.neck * tall * up_);
        return Place{head_, joint + raise, standing, Vec3::Constant(tall)};
      }
      if (!two) return std::nullopt;
      const Vec3 way = at(head_) - at(neck_);
      const double along = wanted.position.z() / like_.neck;
      const double lean = way.dot(forward_) * along;
      return Place{neck_, joint + lean * forward_, standing, Vec3(tall, tall, way.dot(up_) / like_.neck)};
    }
    if (segment == "thigh" || segment == "shank") {
      const int thigh = body("thigh", left), shank = body("shank", left), foot = body("foot", left);
      const bool upper = segment == "thigh";
      const Vec3 from = at(upper ? thigh : shank), to = at(upper ? shank : foot);
      const double length = (to - from).norm() / (upper ? like_.thigh : like_.shank);
      return Place{upper ? thigh : shank, from, limb_axes(from, to, shank, 1, left),
                   Vec3(tall, tall, length)};
    }
    if (segment == "foot" || segment == "toes") return foot_place(segment == "toes", side, left);
    return arm_place(segment, standing, left);
  }

  // Forward is where the toes are, on the ground.
  std::optional<Place> foot_place(bool toes, const Vec3& side, bool left) const {
    const int foot = body("foot", left), ball = body("toes", left);
    Vec3 ahead = forward_;
    double length = like_.foot * tall_;
    if (ball >= 0) {
      ahead = at(ball) - at(foot);
      ahead -= ahead.dot(Vec3::UnitZ()) * Vec3::UnitZ();
      length = ahead.norm();
      ahead /= length;
    }
    Vec3 across = side - side.dot(ahead) * ahead;
    across = (across - across.z() * Vec3::UnitZ()).normalized();
    Mat3 axes;
    axes << ahead, across, Vec3::UnitZ();
    if (toes && ball < 0) return std::nullopt;
    return Place{toes ? ball : foot, at(toes ? ball : foot), axes,
                 Vec3(toes ? tall_ : length / like_.foot, tall_, tall_)};
  }

  std::optional<Place> arm_place(const std::string& segment, const Mat3& standing, bool left) const {
    const int upper = body("upper_arm", left), fore = body("forearm", left), hand = body("hand", left);
    if (upper < 0 || fore < 0) return std::nullopt;
    if (segment == "girdle") {
      const int collar = body("clavicle", left);
      return Place{collar >= 0 ? collar : spine_.back(), at(upper), standing, Vec3::Constant(tall_)};
    }
    if (segment == "upper_arm") {
      const double length = (at(fore) - at(upper)).norm() / like_.upper_arm;
      return Place{upper, at(upper), limb_axes(at(upper), at(fore), fore, -1, left),
                   Vec3(tall_, tall_, length)};
    }
    if (hand < 0) return std::nullopt;
    if (segment == "forearm") {
      const double length = (at(hand) - at(fore)).norm() / like_.forearm;
      return Place{fore, at(fore), limb_axes(at(fore), at(hand), fore, -1, left), Vec3(tall_, tall_, length)};
    }
    if (segment != "wrist" && segment != "hand")
      throw InputError("muscles/human.yaml", "segment '" + segment + "'", "a segment of muscle_template.h");
    const Vec3 up = (at(fore) - at(hand)).normalized();
    const Vec3 thumb = (forward_ - forward_.dot(up) * up).normalized();
    const Vec3 back = left ? Vec3(up.cross(thumb)) : Vec3(thumb.cross(up));
    Mat3 axes;
    axes << thumb, back, up;
    return Place{segment == "hand" ? hand : fore, at(hand), axes, Vec3::Constant(tall_)};
  }

  ActorPtr actor_;
  mutable ActorDynamics dynamics_;  // in the rest pose
  const TemplateBody& like_;
  bool whole_ = false;
  Vec3 hips_ = Vec3::Zero(), up_ = Vec3::Zero(), left_ = Vec3::Zero(), forward_ = Vec3::Zero();
  std::vector<int> spine_;  // bodies above the pelvis, the chest last
  int neck_ = -1, head_ = -1;
  double trunk_ = 0, tall_ = 1;
};

}  // namespace

BodyMuscles human_muscles(const ActorPtr& actor) {
  const Template human = read_template();
  const Bones bones(actor, human.body);
  BodyMuscles out;
  if (!bones.whole()) return out;
  const double strength = actor->mass() / human.body.mass;
  const auto put = [&](const TemplateMuscle& entry, bool left) {
    Muscle muscle{.name = (left ? "left " : "right ") + entry.name,
                  .max_force = entry.force * strength,
                  .fibre_length = entry.fibre * bones.tall(),
                  .tendon_slack = entry.tendon * bones.tall()};
    for (const TemplatePoint& wanted : entry.path) {
      if (const auto point = bones.point(wanted, left)) muscle.path.push_back(*point);
    }
    const auto on_first = [&](const MusclePoint& point) { return point.body == muscle.path[0].body; };
    if (std::all_of(muscle.path.begin(), muscle.path.end(), on_first)) muscle.path.clear();
    return muscle;
  };
  for (const bool left : {true, false}) {
    const HeldAxis held = bones.held_axis_of_foot(left);
    if (actor->model().body_dofnum[held.body + 1] == 3) out.held.push_back(held);
  }
  for (const TemplateMuscle& entry : human.muscles) {
    for (const bool left : {true, false}) {
      Muscle muscle = put(entry, left);
      if (muscle.path.empty()) continue;
      out.muscles.push_back(std::move(muscle));
      out.parts.push_back((left ? "left " : "right ") + entry.part);
    }
  }
  for (const TemplateMuscle& entry : human.ligaments) {
    for (const bool left : {true, false}) {
      Muscle ligament = put(entry, left);
      if (!ligament.path.empty()) out.ligaments.push_back(std::move(ligament));
    }
  }
  return out;
}

}  // namespace stunt
