#include <fmt/format.h>

#include <iterator>

#include "stunt/actor/fit/parts.h"

namespace stunt {
namespace {

// What drives a joint and what it resists with.
struct Drive {
  double torque;    // Nm, for a body of 70 kg; scales with mass
  double armature;  // kg m^2
  double damping;   // Nm s/rad
};

// Near what strong, untrained men reach in isokinetic tests at low speed, rounded up; ankle and toes as in
// running (docs/characters.md).
Drive drive_of(Part part) {
  switch (part) {
    case Part::thigh:
    case Part::shank:
      return {250, 0.01, 0.5};
    case Part::foot:
      return {230, 0.03, 0.3};
    case Part::toes:
      return {70, 0.005, 0.1};
    case Part::upper_arm:
      return {100, 0.01, 0.3};
    case Part::clavicle:
      return {100, 0.01, 0.5};
    case Part::forearm:
      return {80, 0.01, 0.2};
    case Part::hand:
      return {20, 0.01, 0.1};
    case Part::neck:
    case Part::head:
      return {50, 0.01, 0.3};
    default:
      return {200, 0.01, 0.5};
  }
}
constexpr double kMassOfDrives = 70;  // kg

std::string numbers(const Vec3& v) { return fmt::format("{:.9g} {:.9g} {:.9g}", v.x(), v.y(), v.z()); }
std::string numbers(const Quat& q) {
  return fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}", q.w(), q.x(), q.y(), q.z());
}

class Writer {
 public:
  Writer(const std::vector<FitSegment>& segments, double strength)
      : segments_(segments), strength_(strength) {}

  std::string run(const std::string& name) {
    line(0, "<mujoco model=\"{}\">", name);
    line(1, "<compiler angle=\"radian\" autolimits=\"true\"/>");
    line(1, "<default>");
    line(2, "<geom rgba=\"0.80 0.74 0.68 1\"/>");
    // Soles touch what carries; the boxes of the feet touch what is thrown; everything else touches both.
    line(2,
         "<default class=\"sole\"><geom contype=\"1\" conaffinity=\"0\" group=\"3\" rgba=\"0.9 0.45 0.2 "
         "1\"/></default>");
    line(2,
         "<default class=\"foot\"><geom contype=\"2\" conaffinity=\"0\" rgba=\"0.36 0.42 0.50 "
         "1\"/></default>");
    line(1, "</default>");
    line(1, "<worldbody>");
    body(0, 2);
    line(1, "</worldbody>");
    line(1, "<actuator>");
    text_ += motors_;
    line(1, "</actuator>");
    line(0, "</mujoco>");
    return text_;
  }

 private:
  template <class... T>
  void line(int depth, fmt::format_string<T...> format, T&&... args) {
    text_.append(2 * depth, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(args)...);
    text_ += '\n';
  }

  void body(int index, int depth) {
    const FitSegment& s = segments_[index];
    line(depth, "<body name=\"{}\" pos=\"{}\" quat=\"{}\">", s.name,
         numbers(s.parent < 0 ? s.rest_position : s.offset), numbers(s.rest));
    if (s.parent < 0)
      line(depth + 1, "<freejoint name=\"root\"/>");
    else
      joints(s, depth + 1);
    line(depth + 1,
         "<inertial pos=\"{}\" mass=\"{:.9g}\" fullinertia=\"{:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\"/>",
         numbers(s.com), s.mass, s.inertia(0, 0), s.inertia(1, 1), s.inertia(2, 2), s.inertia(0, 1),
         s.inertia(0, 2), s.inertia(1, 2));
    for (const FitGeom& geom : s.geoms) write(geom, depth + 1);
    for (const int child : children_of(segments_, index)) body(child, depth + 1);
    line(depth, "</body>");
  }

  void joints(const FitSegment& s, int depth) {
    const Drive drive = drive_of(s.part);
    const std::string passive =
        fmt::format("armature=\"{:.9g}\" damping=\"{:.9g}\"", drive.armature, drive.damping);
    if (s.movement.ball) {
      const std::string range =
          s.movement.ball_range > 0 ? fmt::format("range=\"0 {:.9g}\" ", s.movement.ball_range) : "";
      line(depth, "<joint name=\"{}\" type=\"ball\" {}{}/>", s.name, range, passive);
      for (const auto& [letter, gear] :
           {std::pair{'x', "1 0 0 0 0 0"}, {'y', "0 1 0 0 0 0"}, {'z', "0 0 1 0 0 0"}}) {
        motor(fmt::format("{}_{}", s.name, letter), s.name, gear, drive.torque);
      }
    }
    for (const FitHinge& hinge : s.movement.hinges) {
      line(depth, "<joint name=\"{}{}\" type=\"hinge\" axis=\"{}\" range=\"{:.9g} {:.9g}\" {}/>", s.name,
           hinge.name, numbers(hinge.axis), hinge.lower, hinge.upper, passive);
      motor(s.name + hinge.name, s.name + hinge.name, "1", drive.torque);
    }
  }

  void motor(const std::string& name, const std::string& joint, const std::string& gear, double torque) {
    fmt::format_to(std::back_inserter(motors_),
                   "    <motor name=\"{}\" joint=\"{}\" gear=\"{}\" ctrlrange=\"{:.6g} {:.6g}\"/>\n", name,
                   joint, gear, -strength_ * torque, strength_ * torque);
  }

  void write(const FitGeom& geom, int depth) {
    const std::string use = geom.use == FitGeom::Use::sole   ? "class=\"sole\" "
                            : geom.use == FitGeom::Use::foot ? "class=\"foot\" "
                                                             : "";
    switch (geom.shape) {
      case FitGeom::Shape::sphere:
        line(depth, "<geom {}type=\"sphere\" pos=\"{}\" size=\"{:.6g}\"/>", use, numbers(geom.from),
             geom.radius);
        break;
      case FitGeom::Shape::capsule:
        line(depth, "<geom {}type=\"capsule\" fromto=\"{} {}\" size=\"{:.6g}\"/>", use, numbers(geom.from),
             numbers(geom.to), geom.radius);
        break;
      case FitGeom::Shape::box:
        line(depth, "<geom {}type=\"box\" pos=\"{}\" quat=\"{}\" size=\"{}\"/>", use, numbers(geom.from),
             numbers(geom.rotation), numbers(geom.half));
        break;
    }
  }

  const std::vector<FitSegment>& segments_;
  double strength_;
  std::string text_, motors_;
};

}  // namespace

std::string to_mjcf(const std::vector<FitSegment>& segments, const std::string& name, double mass,
                    double strength) {
  return Writer(segments, strength * mass / kMassOfDrives).run(name);
}

}  // namespace stunt
