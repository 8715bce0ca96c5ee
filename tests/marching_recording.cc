#include "tests/marching_recording.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace stunt {
namespace {

// {0} is the prefix of the names, {1} x and {2} y of the root.
constexpr const char* kHumanoid = R"(
  <body name="{0}pelvis" pos="{1} {2} 0.93">
    <freejoint name="{0}root"/>
    <geom type="capsule" fromto="0 -.07 0 0 .07 0" size=".09" mass="8"/>
    <body name="{0}chest" pos="0 0 .14">
      <joint name="{0}chest" type="ball"/>
      <geom type="ellipsoid" pos="0 0 .16" size=".12 .17 .22" mass="18"/>
      <body name="{0}head" pos="0 0 .42">
        <joint name="{0}head" type="ball"/>
        <geom type="sphere" pos="0 0 .1" size=".11" mass="4"/>
      </body>
      <body name="{0}left_upper_arm" pos="0 .2 .3">
        <joint name="{0}left_shoulder" type="ball"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.28" size=".045" mass="2"/>
        <body name="{0}left_forearm" pos="0 0 -.28">
          <joint name="{0}left_elbow" type="hinge" axis="0 -1 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 -.24" size=".038" mass="1.5"/>
        </body>
      </body>
      <body name="{0}right_upper_arm" pos="0 -.2 .3">
        <joint name="{0}right_shoulder" type="ball"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.28" size=".045" mass="2"/>
        <body name="{0}right_forearm" pos="0 0 -.28">
          <joint name="{0}right_elbow" type="hinge" axis="0 -1 0"/>
          <geom type="cylinder" pos="0 0 -.12" size=".038 .12" mass="1.5"/>
        </body>
      </body>
    </body>
    <body name="{0}left_thigh" pos="0 .1 -.04">
      <joint name="{0}left_hip" type="ball"/>
      <geom type="capsule" fromto="0 0 -.05 0 0 -.38" size=".07" mass="8"/>
      <body name="{0}left_shank" pos="0 0 -.42">
        <joint name="{0}left_knee" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.36" size=".05" mass="4"/>
        <body name="{0}left_foot" pos="0 0 -.4">
          <joint name="{0}left_ankle" type="ball"/>
          <geom type="box" pos=".05 0 -.04" size=".13 .045 .03" mass="1"/>
        </body>
      </body>
    </body>
    <body name="{0}right_thigh" pos="0 -.1 -.04">
      <joint name="{0}right_hip" type="ball"/>
      <geom type="capsule" fromto="0 0 -.05 0 0 -.38" size=".07" mass="8"/>
      <body name="{0}right_shank" pos="0 0 -.42">
        <joint name="{0}right_knee" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.36" size=".05" mass="4"/>
        <body name="{0}right_foot" pos="0 0 -.4">
          <joint name="{0}right_ankle" type="ball"/>
          <geom type="box" pos=".05 0 -.04" size=".13 .045 .03" mass="1"/>
        </body>
      </body>
    </body>
  </body>)";

std::string document(const std::string& bodies, const std::string& actuators,
                     const std::string& assets = "") {
  return R"(<mujoco><option timestep=".002"/><default>
      <joint damping="2" armature=".02"/><geom condim="3" friction="1 .005 .0001"/></default><asset>)" +
         assets + "</asset><worldbody>" + bodies + "</worldbody><actuator>" + actuators +
         "</actuator></mujoco>";
}

std::string motors(const std::string& prefix) {
  std::string out;
  const auto motor = [&](const std::string& joint, double limit, bool ball) {
    for (int axis = 0; axis < (ball ? 3 : 1); ++axis) {
      const std::string gear = !ball ? "1" : axis == 0 ? "1 0 0" : axis == 1 ? "0 1 0" : "0 0 1";
      out += fmt::format(
          R"(<motor name="{0}{1}{2}" joint="{0}{1}" gear="{3}" ctrlrange="{4} {5}" ctrllimited="true"/>)",
          prefix, joint, axis, gear, -limit, limit);
    }
  };
  motor("chest", 200, true);
  motor("head", 40, true);
  for (const std::string side : {"left_", "right_"}) {
    motor(side + "shoulder", 80, true);
    motor(side + "elbow", 60, false);
    motor(side + "hip", 250, true);
    motor(side + "knee", 200, false);
    motor(side + "ankle", 120, true);
  }
  return out;
}

// Marching along x: the hips swing about y, the knees bend, the arms swing against the legs.
void march(const Actor& actor, double t, double x, double y, VecX& q) {
  q = actor.rest_q();
  const double speed = 0.6, phase = 2 * kPi * t / 1.1;
  q[0] = x + speed * t;
  q[1] = y;
  q[2] = 0.925 + 0.015 * std::cos(2 * phase);
  const auto set = [&](const char* body, double angle) {
    const ActorBody& part = actor.bodies()[static_cast<std::size_t>(actor.find_body(body))];
    const ActorJoint& joint = actor.joints()[static_cast<std::size_t>(part.first_joint)];
    if (joint.type == JointType::ball) {
      quat_to_wxyz(axis_angle(Vec3::UnitY(), angle), q.data() + joint.q_address);
    } else {
      q[joint.q_address] = angle;
    }
  };
  for (const bool left : {true, false}) {
    const double swing = std::sin(phase + (left ? 0 : kPi));
    const double lift = std::max(0.0, std::cos(phase + (left ? 0 : kPi)));
    const double hip = -0.35 * swing - 0.25 * lift, knee = 0.15 + 0.75 * lift;
    set(left ? "left_thigh" : "right_thigh", hip);
    set(left ? "left_shank" : "right_shank", knee);
    set(left ? "left_foot" : "right_foot", -hip - knee);
    set(left ? "left_upper_arm" : "right_upper_arm", 0.35 * swing);
    set(left ? "left_forearm" : "right_forearm", 0.5);
  }
}

}  // namespace

Recording marching_recording(const MarchingOptions& options) {
  const ActorPtr actor = Actor::from_xml(document(fmt::format(fmt::runtime(kHumanoid), "", 0, 0), motors("")),
                                         "humanoid", "sample");
  auto scene = std::make_shared<CompiledScene>();
  const double slope = radians(options.slope_deg);
  std::string bodies =
      fmt::format(R"(<geom name="ground" type="plane" size="0 0 1" euler="0 {} 0"/>)", -options.slope_deg);
  std::string actuators;
  const auto prefix = [&](int a) { return options.characters == 1 ? std::string() : fmt::format("{}/", a); };
  for (int a = 0; a < options.characters; ++a) {
    bodies += fmt::format(fmt::runtime(kHumanoid), prefix(a), 0, 1.2 * a);
    actuators += motors(prefix(a));
  }
  bodies += R"(<body name="ball" pos="1.2 -3 1"><freejoint/><geom type="sphere" size=".11" mass="2"/></body>
    <body name="platform" pos="1 2.5 .05"><joint type="slide" axis="1 0 0"/><geom type="box" size=".6 .6 .05"/></body>
    <body name="seesaw" pos="3 -1.6 .25"><joint type="hinge" axis="0 1 0" range="-20 20"/>
      <geom type="box" size="1 .3 .02" mass="15"/></body>
    <geom name="wedge" type="mesh" mesh="wedge" pos="3 -1.6 0.1" contype="0" conaffinity="0"/>)";
  scene->xml = document(
      bodies, actuators,
      R"(<mesh name="wedge" vertex="-.1 -.3 -.1  .1 -.3 -.1  -.1 .3 -.1  .1 .3 -.1  0 -.3 .12  0 .3 .12"/>)");
  std::string error(1000, '\0');
  const SpecPtr spec(mj_parseXMLString(scene->xml.c_str(), nullptr, error.data(), 1000));
  if (!spec) throw std::runtime_error(error);
  scene->model.reset(mj_compile(spec.get(), nullptr));
  if (!scene->model) throw std::runtime_error(mjs_getError(spec.get()));
  const mjModel& model = *scene->model;
  const auto body_named = [&](const std::string& name) {
    return mj_name2id(&model, mjOBJ_BODY, name.c_str());
  };
  for (int a = 0; a < options.characters; ++a) {
    const int body = body_named(prefix(a) + "pelvis");
    const int joint = model.body_jntadr[body];
    scene->actors.push_back({options.characters == 1 ? "marcher" : fmt::format("marcher {}", a + 1), actor,
                             body, model.jnt_qposadr[joint], actor->nq(), model.jnt_dofadr[joint],
                             actor->nv()});
  }
  const int ball = body_named("ball"), platform = body_named("platform");
  scene->free_bodies.push_back({"ball", ball, model.jnt_qposadr[model.body_jntadr[ball]],
                                model.jnt_dofadr[model.body_jntadr[ball]], false});
  scene->support_bodies = {0, platform, body_named("seesaw")};

  Recording run;
  run.scene = scene;
  run.name = options.name;
  run.engine = "mujoco";
  run.timestep = model.opt.timestep;
  run.duration = options.duration;
  run.marks = {0.2};
  using Type = Channel::Type;
  auto& q_all = run.channels.add("q", "m, rad", "", static_cast<int>(model.nq), Type::f8).all<double>();
  auto& v_all = run.channels.add("v", "m/s, rad/s", "", static_cast<int>(model.nv), Type::f8).all<double>();
  for (const ActorSlot& slot : scene->actors) {
    ActorTrack track;
    track.name = slot.name;
    track.motion = "march";
    track.character = "humanoid";
    track.controller = "pd";
    track.slot = slot;
    track.channels.add("reference_q", "m, rad", "", slot.nq, Type::f8);
    track.channels.add("torque", "Nm, N", "", slot.nv, Type::f4);
    run.actors.push_back(std::move(track));
  }

  mjData* data = mj_makeData(&model);
  VecX want, v;
  const auto reference_at = [&](std::size_t a, double t) {
    march(*actor, t, 0, 1.2 * static_cast<double>(a), want);
    want[2] += want[0] * std::tan(slope);
  };
  for (std::size_t a = 0; a < run.actors.size(); ++a) {
    reference_at(a, 0);
    std::copy_n(want.data(), actor->nq(), data->qpos + scene->actors[a].first_q);
  }
  const int ball_v = scene->free_bodies[0].first_v;
  data->qvel[ball_v + 1] = 6;
  data->qvel[ball_v + 2] = 2.5;
  const int samples = static_cast<int>(options.duration * run.rate) + 1;
  run.contact_start.push_back(0);
  for (int sample = 0; sample < samples; ++sample) {
    const double until = sample / run.rate;
    while (data->time < until - 1e-9 || sample == 0) {
      mju_zero(data->qfrc_applied, static_cast<int>(model.nv));
      data->qfrc_applied[model.jnt_dofadr[model.body_jntadr[platform]]] =
          2000 * (0.3 * std::sin(data->time) - data->qpos[model.jnt_qposadr[model.body_jntadr[platform]]]);
      for (std::size_t a = 0; a < run.actors.size(); ++a) {
        const ActorSlot& slot = scene->actors[a];
        reference_at(a, data->time);
        const VecX q = Eigen::Map<VecX>(data->qpos + slot.first_q, slot.nq);
        difference(*actor, q, want, v);
        const bool falling = a == 0 && data->time > options.let_go;
        for (int i = 0; i < slot.nv; ++i) {
          const double gain = i < 6 ? (falling ? 0 : 3000) : options.stiffness * (falling ? 0.05 : 1);
          const double limit = i < 6 ? 2000 : actor->torque_limits()[i];
          const double torque = gain * v[i] - 0.06 * gain * data->qvel[slot.first_v + i];
          data->qfrc_applied[slot.first_v + i] = std::clamp(torque, -limit, limit);
        }
      }
      mj_step(&model, data);
      if (sample == 0) break;
    }
    run.time.push_back(until);
    q_all.insert(q_all.end(), data->qpos, data->qpos + model.nq);
    v_all.insert(v_all.end(), data->qvel, data->qvel + model.nv);
    for (std::size_t a = 0; a < run.actors.size(); ++a) {
      ActorTrack& track = run.actors[a];
      reference_at(a, until);
      auto& references = track.channels.at("reference_q").all<double>();
      references.insert(references.end(), want.data(), want.data() + actor->nq());
      for (int i = 0; i < track.slot.nv; ++i) {
        track.channels.at("torque").all<float>().push_back(
            static_cast<float>(data->qfrc_applied[scene->actors[a].first_v + i]));
      }
      if (sample % 4 == 0) track.plan_us.push_back(static_cast<float>(180 + 40 * std::sin(0.3 * sample)));
    }
    for (int c = 0; c < data->ncon; ++c) {
      const mjContact& contact = data->contact[c];
      double wrench[6], world[3];
      mj_contactForce(&model, data, c, wrench);
      mju_mulMatTVec3(world, contact.frame, wrench);
      RecordedContact recorded{};
      recorded.body1 = model.geom_bodyid[contact.geom1];
      recorded.body2 = model.geom_bodyid[contact.geom2];
      for (int k = 0; k < 3; ++k) {
        recorded.point[k] = static_cast<float>(contact.pos[k]);
        recorded.force[k] = static_cast<float>(world[k]);
      }
      run.contacts.push_back(recorded);
    }
    run.contact_start.push_back(static_cast<std::uint32_t>(run.contacts.size()));
  }
  mj_deleteData(data);
  if (options.let_go < options.duration) {
    run.actors[0].fall =
        Fall{options.let_go + 0.4, "chest touched the ground while its reference is 0.9 m above it"};
  }
  run.steps = static_cast<std::uint64_t>(options.duration / run.timestep);
  run.wall_s = 0.5;
  run.engine_s = 0.3;
  run.controller_s = 0.15;
  return run;
}

}  // namespace stunt
