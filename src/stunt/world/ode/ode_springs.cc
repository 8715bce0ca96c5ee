#include "stunt/world/ode/ode_springs.h"

#include <Eigen/LU>
#include <algorithm>

namespace stunt {
namespace {
constexpr double kSamePlace = 0.02;  // m: a touch this near to one of the step before is the same
}

OdeSprings::OdeSprings(const OdeModel& model, const ContactSpec& spec) : model_(model), spec_(spec) {
  for (const OdeLink& link : model.links()) inverse_inertia_.push_back(link.inertia.inverse());
  touches_of_link_.resize(model.links().size());
  springs_.reserve(512);
  next_.reserve(512);
}

double OdeSprings::inverse_mass(int link, const Vec3& point, const Vec3& direction) const {
  if (link < 0) return 0;
  const OdeLink& body = model_.links()[static_cast<std::size_t>(link)];
  if (body.type == OdeLink::Type::platform) return 0;
  const Vec3 lever = (point - model_.link_position(link)).cross(direction);
  const Vec3 local = model_.link_rotation(link).conjugate() * lever;
  return 1 / body.mass + local.dot(inverse_inertia_[static_cast<std::size_t>(link)] * local);
}

Vec3 OdeSprings::find_stretch(int pair, const Vec3& place) {
  Spring* nearest = nullptr;
  double distance = kSamePlace;
  for (Spring& spring : springs_) {
    if (spring.pair == pair && (spring.place - place).norm() < distance) {
      nearest = &spring;
      distance = (spring.place - place).norm();
    }
  }
  if (!nearest) return Vec3::Zero();
  nearest->pair = -1;  // taken
  return nearest->stretch;
}

void OdeSprings::apply(const std::vector<Touch>& touches, double h, std::vector<Contact>& contacts) {
  std::fill(touches_of_link_.begin(), touches_of_link_.end(), 0);
  const auto count = [&](int link) -> int* {
    return link < 0 ? nullptr : &touches_of_link_[static_cast<std::size_t>(link)];
  };
  const auto links_of = [&](const Touch& touch) {
    const OdePair& pair = model_.pairs()[static_cast<std::size_t>(touch.pair)];
    return std::pair(model_.geoms()[static_cast<std::size_t>(pair.first)].link,
                     model_.geoms()[static_cast<std::size_t>(pair.second)].link);
  };
  for (const Touch& touch : touches) {
    const auto [first, second] = links_of(touch);
    for (const int link : {first, second}) {
      if (int* n = count(link)) ++*n;
    }
  }
  next_.clear();
  for (const Touch& touch : touches) {
    const OdePair& pair = model_.pairs()[static_cast<std::size_t>(touch.pair)];
    const auto [first, second] = links_of(touch);
    int n = *count(first);
    if (const int* other = count(second)) n = std::max(n, *other);
    const double mass = 1 / (inverse_mass(first, touch.point, touch.normal) +
                             inverse_mass(second, touch.point, touch.normal));
    const double stiffness = std::min(spec_.stiffness, 0.2 * mass / (n * h * h));
    const double damping = std::min(spec_.damping, 0.5 * mass / (n * h));

    const Vec3 velocity = model_.velocity_at(first, touch.point) - model_.velocity_at(second, touch.point);
    const double apart = velocity.dot(touch.normal);
    const double normal_force = std::max(0.0, stiffness * touch.depth - damping * apart);

    const Vec3 place = model_.link_rotation(first).conjugate() * (touch.point - model_.link_position(first));
    const Vec3 sliding = velocity - apart * touch.normal;
    Vec3 stretch = find_stretch(touch.pair, place);
    stretch += sliding * h;
    stretch -= stretch.dot(touch.normal) * touch.normal;
    Vec3 friction = -stiffness * stretch - damping * sliding;
    const double most = pair.friction * normal_force;
    if (friction.norm() > most) {
      friction *= most / friction.norm();
      stretch = -friction / stiffness;  // slips: the spring is as long as the force it can hold
    }
    next_.push_back({touch.pair, place, stretch});

    const Vec3 force = normal_force * touch.normal + friction;
    const auto push = [&](int link, const Vec3& f) {
      if (link < 0) return;
      dBodyAddForceAtPos(model_.links()[static_cast<std::size_t>(link)].body, f.x(), f.y(), f.z(),
                         touch.point.x(), touch.point.y(), touch.point.z());
    };
    push(first, force);
    push(second, -force);
    contacts.push_back({model_.geoms()[static_cast<std::size_t>(pair.second)].scene_body,
                        model_.geoms()[static_cast<std::size_t>(pair.first)].scene_body, touch.point,
                        touch.normal, force, touch.depth});
  }
  std::swap(springs_, next_);
}

void OdeSprings::save(std::vector<double>& values) const {
  values.push_back(static_cast<double>(springs_.size()));
  for (const Spring& spring : springs_) {
    values.push_back(spring.pair);
    values.insert(values.end(), spring.place.begin(), spring.place.end());
    values.insert(values.end(), spring.stretch.begin(), spring.stretch.end());
  }
}

const double* OdeSprings::restore(const double* values) {
  springs_.resize(static_cast<std::size_t>(*values++));
  for (Spring& spring : springs_) {
    spring.pair = static_cast<int>(values[0]);
    spring.place = Vec3(values[1], values[2], values[3]);
    spring.stretch = Vec3(values[4], values[5], values[6]);
    values += 7;
  }
  return values;
}

}  // namespace stunt
