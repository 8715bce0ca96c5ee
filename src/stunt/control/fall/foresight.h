// Will it fall? Sees that balance cannot be saved before the ground says so: three signs, each against what the motion
// itself does at that time, so that a run, a bow or a jump is no fall.
#pragma once

#include <optional>

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"
#include "stunt/control/parts/capture_point.h"
#include "stunt/reference/legs/leg.h"

namespace stunt {

struct FallSigns {
  double reach =
      0;  // leg lengths: how much further than in the motion the capture point lies outside both soles
  double tilt = 0;  // rad: of the trunk against the motion's
  double drop =
      0;  // how much lower the centre of mass is over the feet than in the motion, as a part of its height
};

struct ForesightSettings {
  double reach = 0.6, tilt = 60, drop = 0.3;  // beyond one of them it falls; deg
  double doubt = 0.05;                        // s, for which it must be so
};
void describe(Fields& fields, ForesightSettings& settings);

class Foresight {
 public:
  // Sees nothing coming (will_fall() is false) for a body without two legs.
  Foresight(const ForesightSettings& settings, ReferencePtr reference);
  const FallSigns& look(const Observation& now);
  bool will_fall() const;

  struct State {
    FallSigns signs;
    double since = -1, time = 0;  // s
  };
  State state = {};

 private:
  struct Side {
    Vec3 com, velocity, up;
    double height = 0, outside = 0;  // m
  };
  Side seen(ActorDynamics& body);

  ForesightSettings settings_;
  ReferencePtr reference_;
  ActorDynamics ours_, theirs_;
  std::optional<Leg> legs_[2];
  Support support_;
  int top_ = -1;  // body at the top of the trunk
  ReferenceSample target_;
};

}  // namespace stunt
