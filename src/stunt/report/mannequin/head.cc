#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/report/mannequin/sculpt.h"

namespace stunt {
namespace {

// The head from the chin to the crown: half widths in radii of the physical shape.
struct HeadSlice {
  double height, side, front, back;
};
// clang-format off
constexpr HeadSlice kHead[] = {
    {0.000, 0.22, 0.62, -0.34}, {0.030, 0.38, 0.82, -0.10}, {0.100, 0.56, 0.97, 0.20}, {0.210, 0.70, 1.02, 0.58},
    {0.340, 0.81, 1.02, 0.86},  {0.470, 0.88, 1.05, 1.02},  {0.600, 0.91, 1.05, 1.10}, {0.720, 0.89, 0.98, 1.10},
    {0.830, 0.79, 0.84, 0.99},  {0.915, 0.61, 0.63, 0.77},  {0.970, 0.38, 0.38, 0.50}, {1.000, 0.09, 0.09, 0.14}};
// clang-format on
constexpr std::pair<double, double> kVisor = {0.39, 0.66};  // from and to, of the head's height
constexpr double kVisorAngle = 0.36 * kPi;                  // rad to each side of straight ahead

// The body that carries the head and the shape that stands for it; -1 where there is none.
struct HeadShape {
  int body = -1, geom = -1;
};

HeadShape find_head(const Anatomy& anatomy, const Vec3& chest_up) {
  const mjModel& m = anatomy.actor().model();
  HeadShape head;
  head.body = anatomy.body(Role::head) >= 0 ? anatomy.body(Role::head) : anatomy.body(Role::neck);
  double most = 0;
  const bool own = head.body >= 0;
  if (!own) head.body = anatomy.body(Role::chest);  // whose highest shapes may be neck and head
  const double shoulders =
      own ? 0 : anatomy.rest_point(head.body, anatomy.body(Role::left_upper_arm)).dot(chest_up);
  for (const int geom : anatomy.geoms(head.body)) {
    if (!own && vec3(m.geom_pos + 3 * geom).dot(chest_up) < shoulders + 0.1 * anatomy.scale()) continue;
    const double* s = m.geom_size + 3 * geom;
    const double size = m.geom_type[geom] == mjGEOM_BOX || m.geom_type[geom] == mjGEOM_ELLIPSOID
                            ? std::min({s[0], s[1], s[2]})
                            : s[0];
    if (size > most) {
      most = size;
      head.geom = geom;
    }
  }
  if (head.geom < 0) head.body = -1;
  return head;
}

void add_neck(int body, const Vec3& from, const Vec3& to, double radius, const Vec3& front, Pieces& pieces) {
  const Vec3 along = to - from;
  if (along.norm() < 0.2 * radius) return;
  const Vec3 ahead = across(front, along.normalized());
  const Vec3 side = along.normalized().cross(ahead);
  std::vector<Ring> keys;
  for (const auto& [share, size] :
       {std::pair{-0.25, 1.18}, {0.15, 1.06}, {0.5, 0.98}, {0.8, 0.96}, {1.2, 1.0}})
    keys.push_back({from + share * along, side, ahead, size * radius, size * radius, size * radius, 2, 2});
  pieces.push_back(
      {body, Surface::joint, loft(rounded_ends(smooth(keys, 10), 0.3 * radius, 0.3 * radius), kAroundLimb)});
}

}  // namespace

void sculpt_head(const Anatomy& anatomy, Pieces& pieces) {
  const mjModel& m = anatomy.actor().model();
  const int chest = anatomy.body(Role::chest);
  const Vec3 chest_up = anatomy.rest_direction(chest, anatomy.up());
  const auto [body, geom] = find_head(anatomy, chest_up);
  if (body < 0) return;
  const double scale = anatomy.scale();
  const Vec3 centre = vec3(m.geom_pos + 3 * geom);
  Vec3 up = anatomy.rest_direction(body, anatomy.up());
  if (body != chest && centre.norm() > 0.03 * scale && centre.normalized().dot(up) > 0.7)
    up = centre.normalized();
  const Vec3 front = across(anatomy.rest_direction(body, anatomy.forward()), up);
  const Vec3 side = up.cross(front);
  const double wide = 0.5 * (anatomy.reach_of_geom(geom, side) + anatomy.reach_of_geom(geom, -side));
  const double top = anatomy.reach_of_geom(geom, up), bottom = -anatomy.reach_of_geom(geom, -up);
  const double radius = std::min(wide, 0.55 * (top - bottom));
  const double tall = std::max(top - bottom, 2.5 * radius);
  const double chin = top - tall;

  std::vector<Ring> keys;
  for (const HeadSlice& s : kHead) {
    // About the middle between front and back, which at the chin is far ahead.
    const double half = 0.5 * (s.front + s.back) * radius, ahead = 0.5 * (s.front - s.back) * radius;
    keys.push_back({centre + (chin + s.height * tall - centre.dot(up)) * up + ahead * front, side, front,
                    s.side * radius, half, half, 2.1, 2});
  }
  const std::vector<Ring> rings = smooth(keys, 20);
  pieces.push_back({body, Surface::skin, loft(rings, kAroundTrunk)});
  std::vector<Ring> band;
  for (const Ring& ring : rings) {
    const double height = ((ring.centre - centre).dot(up) + centre.dot(up) - chin) / tall;
    if (height >= kVisor.first && height <= kVisor.second) band.push_back(ring);
  }
  if (band.size() > 2)
    pieces.push_back({body, Surface::visor,
                      shell(band, 0.5 * kPi - kVisorAngle, 0.5 * kPi + kVisorAngle, 0.06 * radius, 12)});

  // The neck: one piece per body between the chest and the head.
  const double thick = 0.60 * radius;
  const Vec3 skull = centre + (chin + 0.30 * tall - centre.dot(up)) * up - 0.12 * radius * front;
  const std::vector<int> way = anatomy.way(chest, body);
  for (std::size_t i = 1; i + 1 < way.size(); ++i) {
    const Vec3 end = anatomy.actor().bodies()[static_cast<std::size_t>(way[i + 1])].offset;
    add_neck(way[i], Vec3::Zero(), end, thick, anatomy.rest_direction(way[i], anatomy.forward()), pieces);
  }
  if (body == chest) {
    const double shoulders = anatomy.rest_point(chest, anatomy.body(Role::left_upper_arm)).dot(up);
    add_neck(body, skull + (shoulders - skull.dot(up)) * up, skull, thick, front, pieces);
  } else {
    add_neck(body, Vec3::Zero(), skull, thick, front, pieces);
  }
}

}  // namespace stunt
