// A small legged character for tests: free root, ball hips, hinge knees and ankles, one arm with ball and
// hinge.
#pragma once

#include <fmt/format.h>

#include "stunt/actor/actor.h"
#include "stunt/core/random.h"

namespace stunt {

inline const char* sample_actor_xml() {
  return R"(<mujoco>
  <compiler angle="degree" autolimits="true"/>
  <default><joint armature="0.01" damping="0.2"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <light pos="0 0 3"/>
    <body name="pelvis" pos="0 0 0.95">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.15 0.08" mass="12"/>
      <body name="chest" pos="0 0 0.12">
        <joint name="waist" type="ball" range="0 60"/>
        <geom type="capsule" fromto="0 0 0.05 0 0 0.4" size="0.12" mass="30"/>
        <body name="left_upper_arm" pos="0 0.2 0.35">
          <joint name="shoulder" type="ball"/>
          <geom type="capsule" fromto="0 0 0 0 0.05 -0.28" size="0.04" mass="2"/>
          <body name="left_forearm" pos="0 0.05 -0.28">
            <joint name="elbow" type="hinge" axis="0 1 0" range="-150 0"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.035" mass="1.5"/>
          </body>
        </body>
      </body>
      <body name="left_thigh" pos="0 0.1 -0.05">
        <joint name="left_hip" type="ball"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.42" size="0.07" mass="8"/>
        <body name="left_shank" pos="0 0 -0.42">
          <joint name="left_knee" type="hinge" axis="0 1 0" range="-5 150"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="3.5"/>
          <body name="left_foot" pos="0 0 -0.42">
            <joint name="left_ankle_flexion" type="hinge" axis="0 1 0" range="-50 50"/>
            <joint name="left_ankle_inversion" type="hinge" axis="1 0 0" range="-30 30"/>
            <geom type="box" pos="0.06 0 -0.04" size="0.12 0.045 0.02" mass="1.2"/>
          </body>
        </body>
      </body>
      <body name="right_thigh" pos="0 -0.1 -0.05">
        <joint name="right_hip" type="ball"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.42" size="0.07" mass="8"/>
        <body name="right_shank" pos="0 0 -0.42">
          <joint name="right_knee" type="hinge" axis="0 1 0" range="-5 150"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="3.5"/>
          <body name="right_foot" pos="0 0 -0.42">
            <joint name="right_ankle_flexion" type="hinge" axis="0 1 0" range="-50 50"/>
            <joint name="right_ankle_inversion" type="hinge" axis="1 0 0" range="-30 30"/>
            <geom type="box" pos="0.06 0 -0.04" size="0.12 0.045 0.02" mass="1.2"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="left_knee" gear="250" ctrlrange="-1 1"/>
    <motor joint="shoulder" gear="0 70 0" ctrlrange="-1 1"/>
  </actuator>
</mujoco>)";
}

inline ActorPtr sample_actor() { return Actor::from_xml(sample_actor_xml(), "sample", "sample.xml"); }

// With a motor of this strength (Nm) on every degree of freedom.
inline ActorPtr sample_actor(double newton_metres) {
  std::string xml = sample_actor_xml(), motors;
  for (const char* joint : {"elbow", "left_knee", "left_ankle_flexion", "left_ankle_inversion", "right_knee",
                            "right_ankle_flexion", "right_ankle_inversion"}) {
    motors += fmt::format("<motor joint=\"{}\" gear=\"{}\" ctrlrange=\"-1 1\"/>", joint, newton_metres);
  }
  for (const char* joint : {"waist", "shoulder", "left_hip", "right_hip"}) {
    for (int axis = 0; axis < 3; ++axis) {
      motors +=
          fmt::format("<motor joint=\"{}\" gear=\"{} {} {}\" ctrlrange=\"-1 1\"/>", joint,
                      newton_metres * (axis == 0), newton_metres * (axis == 1), newton_metres * (axis == 2));
    }
  }
  const std::size_t begin = xml.find("<actuator>") + 10, end = xml.find("</actuator>");
  xml.replace(begin, end - begin, motors);
  return Actor::from_xml(xml, "sample", "sample.xml");
}

// A random pose near the rest pose, and a random velocity.
inline void random_state(const Actor& actor, Random& random, VecX& q, VecX& v) {
  v = VecX::NullaryExpr(actor.nv(), [&] { return random.uniform(-0.5, 0.5); });
  integrate(actor, actor.rest_q(), v, 1.0, q);
  v = VecX::NullaryExpr(actor.nv(), [&] { return random.uniform(-2, 2); });
}

}  // namespace stunt
