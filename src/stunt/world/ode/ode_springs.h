// Contact by springs: a penalty force at every contact point instead of a constraint.
#pragma once

#include <vector>

#include "stunt/world/engine.h"
#include "stunt/world/ode/ode_model.h"

namespace stunt {

// Normal force: stiffness * depth + damping * speed of approach, never pulling. Friction: a spring with a
// damper along the surface, stretched by the sliding since the touch (Cundall and Strack 1979) and slipping
// at friction * normal force. Stiffness and damping are lowered where the step is too long for the mass
// behind the point: at most 0.2 m / (n h^2) and 0.5 m / (n h), with m the point's effective mass and n the
// contact points of its link.
class OdeSprings {
 public:
  OdeSprings(const OdeModel& model, const ContactSpec& spec);

  struct Touch {
    int pair;
    Vec3 point, normal;  // normal: towards the pair's first geom
    double depth;
  };
  // Adds the forces of all touches to ODE's bodies and appends the contacts.
  void apply(const std::vector<Touch>& touches, double h, std::vector<Contact>& contacts);

  void save(std::vector<double>& values) const;
  const double* restore(const double* values);  // returns what follows

 private:
  struct Spring {
    int pair;
    Vec3 place;    // m, of the touch, in the first geom's link: tells it again in the next step
    Vec3 stretch;  // m, world axes
  };
  double inverse_mass(int link, const Vec3& point, const Vec3& direction) const;
  Vec3 find_stretch(int pair, const Vec3& place);

  const OdeModel& model_;
  ContactSpec spec_;
  std::vector<Mat3> inverse_inertia_;  // per link, its axes
  std::vector<int> touches_of_link_;
  std::vector<Spring> springs_, next_;
};

}  // namespace stunt
