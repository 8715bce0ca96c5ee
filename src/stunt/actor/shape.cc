#include "stunt/actor/shape.h"

namespace stunt {

void describe_shape(Fields& fields, std::string& shape, Vec3& size) {
  fields("shape", shape,
         {.help = "what it looks like and collides as", .choices = {"box", "sphere", "capsule", "cylinder"}});
  const int numbers = shape == "sphere" ? 1 : shape == "box" ? 3 : 2;
  fields("size", size,
         {.unit = "m",
          .bounds = above_to(0, 1e3),
          .help = "box: edges; sphere: diameter; capsule: diameter, length between the caps; cylinder: "
                  "diameter, length",
          .fewest = numbers});
}

mjsGeom* add_shape(mjsBody* body, const std::string& shape, const Vec3& size) {
  mjsGeom* geom = mjs_addGeom(body, nullptr);
  const auto set = [&](mjtGeom type, double a, double b, double c) {
    geom->type = type;
    geom->size[0] = a;
    geom->size[1] = b;
    geom->size[2] = c;
  };
  if (shape == "sphere") {
    set(mjGEOM_SPHERE, size[0] / 2, 0, 0);
  } else if (shape == "capsule") {
    set(mjGEOM_CAPSULE, size[0] / 2, size[1] / 2, 0);
  } else if (shape == "cylinder") {
    set(mjGEOM_CYLINDER, size[0] / 2, size[1] / 2, 0);
  } else {
    set(mjGEOM_BOX, size[0] / 2, size[1] / 2, size[2] / 2);
  }
  return geom;
}

Quat turned_deg(const Vec3& degrees) {
  return axis_angle(Vec3::UnitZ(), radians(degrees.z())) * axis_angle(Vec3::UnitY(), radians(degrees.y())) *
         axis_angle(Vec3::UnitX(), radians(degrees.x()));
}

}  // namespace stunt
