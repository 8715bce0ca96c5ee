#include "stunt/report/page/page_data.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "stunt/core/rotation.h"
#include "stunt/report/mannequin/mannequin.h"
#include "stunt/report/page/verdict_columns.h"
#include "stunt/report/pictures/framing.h"
#include "stunt/report/pictures/palette.h"

namespace stunt {
namespace {

using Json = nlohmann::ordered_json;

Json rounded(const mjtNum* values, int count) {
  Json out = Json::array();
  for (int i = 0; i < count; ++i) out.push_back(std::round(values[i] * 1e5) / 1e5);
  return out;
}

// The samples the page shows: every second one of 120 Hz.
std::vector<int> page_samples(const Recording& run) {
  std::vector<int> samples;
  double next = -1e9;
  for (int i = 0; i < run.samples(); ++i) {
    if (run.time[static_cast<std::size_t>(i)] < next - 1e-6) continue;
    samples.push_back(i);
    next = run.time[static_cast<std::size_t>(i)] + 1 / kPageRate;
  }
  return samples;
}

Json describe_bodies(const CompiledScene& scene) {
  const mjModel& model = *scene.model;
  Json bodies = Json::array();
  for (int b = 0; b < model.nbody; ++b) {
    const char* name = mj_id2name(&model, mjOBJ_BODY, b);
    bodies.push_back(
        {{"name", name ? name : ""}, {"parent", model.body_parentid[b]}, {"kind", "object"}, {"actor", -1}});
  }
  const auto at = [&](int body) -> Json& { return bodies[static_cast<std::size_t>(body)]; };
  for (const FreeBodySlot& ball : scene.free_bodies) at(ball.body)["kind"] = "free";
  for (const int body : scene.support_bodies) at(body)["kind"] = "support";
  for (std::size_t a = 0; a < scene.actors.size(); ++a) {
    const ActorSlot& slot = scene.actors[a];
    for (std::size_t b = 0; b < slot.actor->bodies().size(); ++b) {
      Json& body = at(slot.first_body + static_cast<int>(b));
      const Side side = body_side(*slot.actor, static_cast<int>(b));
      body["name"] = slot.actor->bodies()[b].name;
      body["kind"] = "actor";
      body["actor"] = a;
      for (int r = 0; r < kRoleCount; ++r) {
        const auto role = static_cast<Role>(r);
        if (slot.actor->body(role) == static_cast<int>(b)) body["role"] = name(role);
      }
      body["side"] = side == Side::left ? "left" : side == Side::right ? "right" : "middle";
    }
  }
  return bodies;
}

Json describe_shapes(const mjModel& model, ColumnWriter& columns) {
  Json shapes = Json::array();
  std::vector<bool> mesh_done(static_cast<std::size_t>(model.nmesh), false);
  for (int g = 0; g < model.ngeom; ++g) {
    if (model.geom_group[g] > 2) continue;  // what MuJoCo's own viewer hides
    const char* type = nullptr;
    switch (model.geom_type[g]) {
      case mjGEOM_PLANE:
        type = "plane";
        break;
      case mjGEOM_SPHERE:
        type = "sphere";
        break;
      case mjGEOM_CAPSULE:
        type = "capsule";
        break;
      case mjGEOM_ELLIPSOID:
        type = "ellipsoid";
        break;
      case mjGEOM_CYLINDER:
        type = "cylinder";
        break;
      case mjGEOM_BOX:
        type = "box";
        break;
      case mjGEOM_MESH:
        type = "mesh";
        break;
      default:
        continue;
    }
    Json shape = {{"body", model.geom_bodyid[g]},
                  {"type", type},
                  {"size", rounded(model.geom_size + 3 * g, 3)},
                  {"position", rounded(model.geom_pos + 3 * g, 3)},
                  {"rotation", rounded(model.geom_quat + 4 * g, 4)}};
    if (model.geom_type[g] == mjGEOM_MESH) {
      const int m = model.geom_dataid[g];
      const std::string name = "mesh" + std::to_string(m);
      shape["mesh"] = name;
      if (!mesh_done[static_cast<std::size_t>(m)]) {
        mesh_done[static_cast<std::size_t>(m)] = true;
        columns.add(name + "_vertices",
                    {model.mesh_vert + 3 * model.mesh_vertadr[m],
                     3 * static_cast<std::size_t>(model.mesh_vertnum[m])},
                    3, 1e-4, 1);
        std::vector<float> faces(model.mesh_face + 3 * model.mesh_faceadr[m],
                                 model.mesh_face + 3 * (model.mesh_faceadr[m] + model.mesh_facenum[m]));
        columns.add(name + "_faces", faces, 3, 1, 1);
      }
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// The characters as people see them: meshes after those of the model, each on its body.
void describe_mannequins(const CompiledScene& scene, ColumnWriter& columns, Json& shapes) {
  int number = static_cast<int>(scene.model->nmesh);
  for (const ActorSlot& slot : scene.actors) {
    for (const MannequinPiece& piece : make_mannequin(*slot.actor)) {
      const std::string name = "mesh" + std::to_string(number++);
      shapes.push_back({{"body", slot.first_body + piece.body},
                        {"type", "mesh"},
                        {"size", {0, 0, 0}},
                        {"position", {0, 0, 0}},
                        {"rotation", {1, 0, 0, 0}},
                        {"mesh", name},
                        {"surface", kSurfaceNames[static_cast<int>(piece.surface)]}});
      const TriangleMesh& mesh = piece.mesh;
      columns.add(name + "_vertices", {mesh.positions.front().data(), 3 * mesh.positions.size()}, 3, 2e-4, 1);
      columns.add(name + "_faces", std::vector<float>(mesh.indices.begin(), mesh.indices.end()), 3, 1, 1);
    }
  }
}

Json describe_joints(const Actor& actor) {
  Json joints = Json::array();
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == JointType::free) continue;
    const ActorBody& body = actor.bodies()[static_cast<std::size_t>(joint.body)];
    const mjtNum rest[] = {body.rest.w(), body.rest.x(), body.rest.y(), body.rest.z()};
    joints.push_back({{"name", joint.name},
                      {"type", joint.type == JointType::ball    ? "ball"
                               : joint.type == JointType::hinge ? "hinge"
                                                                : "slide"},
                      {"body", joint.body},
                      {"dof", joint.v_address},
                      {"axis", rounded(joint.axis.data(), 3)},
                      {"rest", rounded(rest, 4)},
                      {"offset", rounded(body.offset.data(), 3)},
                      {"limit", joint.torque_limit}});
  }
  return joints;
}

// The moving part: kinematics of every shown sample, for what was simulated and what was asked for.
class MotionColumns {
 public:
  MotionColumns(const Recording& run, std::vector<int> samples)
      : run_(run),
        scene_(*run.scene),
        model_(*scene_.model),
        samples_(std::move(samples)),
        data_(mj_makeData(&model_)) {
    rows_ = samples_.size();
    const auto bodies = static_cast<std::size_t>(model_.nbody);
    position_.resize(rows_ * bodies * 3);
    rotation_.resize(rows_ * bodies * 4);
    actors_.resize(scene_.actors.size());
    for (std::size_t a = 0; a < actors_.size(); ++a) {
      const std::size_t own = scene_.actors[a].actor->bodies().size();
      actors_[a].position.resize(rows_ * own * 3);
      actors_[a].rotation.resize(rows_ * own * 4);
      actors_[a].com.resize(rows_ * 3);
      actors_[a].error.resize(rows_ * 3);
      actors_[a].force.resize(rows_ * 3);
    }
    for (std::size_t row = 0; row < rows_; ++row) add_row(row);
    add_contacts();
  }

  void write(ColumnWriter& columns) const {
    std::vector<float> time;
    for (const int sample : samples_)
      time.push_back(static_cast<float>(run_.time[static_cast<std::size_t>(sample)]));
    columns.add("time", time, 1, 1e-4, 2);
    columns.add("position", position_, 3 * static_cast<int>(model_.nbody), 1e-4, 2);
    columns.add("rotation", rotation_, 4 * static_cast<int>(model_.nbody), 1.0 / 16384, 2);
    columns.add("contact_start", contact_start_, 1, 1, 1);
    columns.add("contact_bodies", contact_bodies_, 2, 1, 1);
    columns.add("contact_point", contact_point_, 3, 1e-3, 1);
    columns.add("contact_force", contact_force_, 3, 0.5, 1);
    for (std::size_t a = 0; a < actors_.size(); ++a) {
      const OfActor& of = actors_[a];
      const std::string prefix = "actor" + std::to_string(a) + "_";
      const int own = static_cast<int>(scene_.actors[a].actor->bodies().size());
      if (run_.actors[a].has_reference()) {
        columns.add(prefix + "reference_position", of.position, 3 * own, 1e-4, 2);
        columns.add(prefix + "reference_rotation", of.rotation, 4 * own, 1.0 / 16384, 2);
      }
      columns.add(prefix + "com", of.com, 3, 5e-4, 2);
      columns.add(prefix + "error", of.error, 3, 1e-4, 1);
      columns.add(prefix + "force", of.force, 3, 0.5, 1);
      const ActorTrack& track = run_.actors[a];
      if (track.channels.find("torque")) {
        std::vector<float> torque;
        torque.reserve(rows_ * static_cast<std::size_t>(track.slot.nv));
        for (const int sample : samples_) {
          const auto row = track.torque(sample);
          torque.insert(torque.end(), row.data(), row.data() + row.size());
        }
        columns.add(prefix + "torque", torque, track.slot.nv, 0.05, 1);
      }
      columns.add(prefix + "plan_us", track.plan_us, 1, 1, 1);
    }
  }

 private:
  struct OfActor {
    std::vector<float> position, rotation;  // reference: rows x bodies x 3, 4
    std::vector<float> com;                 // rows x 3, m
    std::vector<float> error;  // rows x 3: mean and largest joint angle (rad), mean joint distance (m)
    std::vector<float> force;  // rows x 3: on the left foot, right foot, other bodies; N
  };

  // Quaternions stay on one side of the sphere in time, so that they change little from row to row.
  static void put_rotation(const mjtNum* quat, std::vector<float>& out, std::size_t row, std::size_t stride,
                           std::size_t index) {
    float* to = out.data() + row * stride + 4 * index;
    float sign = 1;
    if (row > 0) {
      const float* before = to - stride;
      double dot = 0;
      for (int k = 0; k < 4; ++k) dot += before[k] * quat[k];
      if (dot < 0) sign = -1;
    }
    for (int k = 0; k < 4; ++k) to[k] = sign * static_cast<float>(quat[k]);
  }

  void add_row(std::size_t row) {
    const int sample = samples_[row];
    const auto bodies = static_cast<std::size_t>(model_.nbody);
    std::copy_n(run_.q(sample).data(), model_.nq, data_->qpos);
    mj_kinematics(&model_, data_.get());
    mj_comPos(&model_, data_.get());
    for (std::size_t i = 0; i < bodies * 3; ++i)
      position_[row * bodies * 3 + i] = static_cast<float>(data_->xpos[i]);
    for (std::size_t b = 0; b < bodies; ++b)
      put_rotation(data_->xquat + 4 * b, rotation_, row, 4 * bodies, b);
    bool reference = false;
    for (std::size_t a = 0; a < actors_.size(); ++a) {
      const ActorSlot& slot = scene_.actors[a];
      for (int k = 0; k < 3; ++k) {
        actors_[a].com[3 * row + static_cast<std::size_t>(k)] =
            static_cast<float>(data_->subtree_com[3 * slot.first_body + k]);
      }
      if (!run_.actors[a].has_reference()) continue;
      reference = true;
      std::copy_n(run_.actors[a].reference_q(sample).data(), slot.nq, data_->qpos + slot.first_q);
    }
    if (!reference) return;
    mj_kinematics(&model_, data_.get());
    for (std::size_t a = 0; a < actors_.size(); ++a) {
      const ActorSlot& slot = scene_.actors[a];
      const std::size_t own = slot.actor->bodies().size();
      const auto first = static_cast<std::size_t>(slot.first_body);
      for (std::size_t b = 0; b < own; ++b) {
        for (std::size_t k = 0; k < 3; ++k) {
          actors_[a].position[row * own * 3 + 3 * b + k] =
              static_cast<float>(data_->xpos[3 * (first + b) + k]);
        }
        put_rotation(data_->xquat + 4 * (first + b), actors_[a].rotation, row, 4 * own, b);
      }
      if (run_.actors[a].has_reference()) add_error(a, row);
    }
  }

  Quat simulated_rotation(std::size_t row, int body) const {
    const float* r = rotation_.data() +
                     (row * static_cast<std::size_t>(model_.nbody) + static_cast<std::size_t>(body)) * 4;
    return Quat(r[0], r[1], r[2], r[3]).normalized();
  }

  // The angle of each joint from its reference, and the distance of the bodies' origins (the joint centres).
  void add_error(std::size_t a, std::size_t row) {
    const ActorSlot& slot = scene_.actors[a];
    double sum = 0, largest = 0, distance = 0;
    int joints = 0;
    const auto& bodies = slot.actor->bodies();
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const int body = slot.first_body + static_cast<int>(b);
      const float* at = position_.data() +
                        (row * static_cast<std::size_t>(model_.nbody) + static_cast<std::size_t>(body)) * 3;
      const Vec3 wanted = Eigen::Map<const Vec3>(data_->xpos + 3 * body);
      distance += (Vec3(at[0], at[1], at[2]) - wanted).norm() / static_cast<double>(bodies.size());
      if (bodies[b].parent < 0 || bodies[b].joint_count == 0) continue;
      const int parent = slot.first_body + bodies[b].parent;
      const Quat simulated = simulated_rotation(row, parent).conjugate() * simulated_rotation(row, body);
      const Quat asked =
          quat_from_wxyz(data_->xquat + 4 * parent).conjugate() * quat_from_wxyz(data_->xquat + 4 * body);
      const double angle = angle_between(simulated, asked);
      sum += angle;
      largest = std::max(largest, angle);
      ++joints;
    }
    float* out = actors_[a].error.data() + 3 * row;
    out[0] = static_cast<float>(joints ? sum / joints : 0);
    out[1] = static_cast<float>(largest);
    out[2] = static_cast<float>(distance);
  }

  void add_contacts() {
    std::vector<int> actor_of(static_cast<std::size_t>(model_.nbody), -1), group(actor_of.size(), 2);
    for (std::size_t a = 0; a < actors_.size(); ++a) {
      const ActorSlot& slot = scene_.actors[a];
      for (int b = 0; b < static_cast<int>(slot.actor->bodies().size()); ++b) {
        const auto body = static_cast<std::size_t>(slot.first_body + b);
        actor_of[body] = static_cast<int>(a);
        if (slot.actor->is_foot(b)) group[body] = body_side(*slot.actor, b) == Side::left ? 0 : 1;
      }
    }
    contact_start_.push_back(0);
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto sample = static_cast<std::size_t>(samples_[row]);
      if (sample + 1 < run_.contact_start.size()) {
        for (std::uint32_t c = run_.contact_start[sample]; c < run_.contact_start[sample + 1]; ++c) {
          const RecordedContact& contact = run_.contacts[c];
          contact_bodies_.push_back(static_cast<float>(contact.body1));
          contact_bodies_.push_back(static_cast<float>(contact.body2));
          contact_point_.insert(contact_point_.end(), contact.point, contact.point + 3);
          contact_force_.insert(contact_force_.end(), contact.force, contact.force + 3);
          const float size = std::hypot(contact.force[0], contact.force[1], contact.force[2]);
          for (const int body : {contact.body1, contact.body2}) {
            const auto b = static_cast<std::size_t>(body);
            if (actor_of[b] < 0) continue;
            actors_[static_cast<std::size_t>(actor_of[b])]
                .force[3 * row + static_cast<std::size_t>(group[b])] += size;
          }
        }
      }
      const std::size_t contacts = contact_bodies_.size() / 2;  // two bodies each
      contact_start_.push_back(static_cast<float>(contacts));
    }
  }

  const Recording& run_;
  const CompiledScene& scene_;
  const mjModel& model_;
  std::vector<int> samples_;
  DataPtr data_;
  std::size_t rows_;
  std::vector<float> position_, rotation_;  // rows x bodies x 3, 4
  std::vector<OfActor> actors_;
  std::vector<float> contact_start_, contact_bodies_, contact_point_, contact_force_;
};

}  // namespace

void ColumnWriter::add(const std::string& name, std::span<const float> values, int channels, double step,
                       int order) {
  const std::size_t width = static_cast<std::size_t>(channels), rows = channels ? values.size() / width : 0;
  index_[name] = {
      {"at", bytes_.size()}, {"rows", rows}, {"channels", channels}, {"step", step}, {"order", order}};
  for (std::size_t channel = 0; channel < width; ++channel) {
    std::int64_t before = 0, slope = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double value = values[row * width + channel];
      const std::int64_t now = std::isfinite(value) ? std::llround(std::clamp(value / step, -1e12, 1e12)) : 0;
      const std::int64_t predicted = order == 0 ? 0 : before + (order == 2 ? slope : 0);
      const std::int64_t left = now - predicted;
      slope = row == 0 ? 0 : now - before;
      before = now;
      auto folded = static_cast<std::uint64_t>(left) << 1 ^ static_cast<std::uint64_t>(left >> 63);
      for (; folded >= 128; folded >>= 7) bytes_.push_back(static_cast<char>(folded | 128));
      bytes_.push_back(static_cast<char>(folded));
    }
  }
}

std::string page_data(const Recording& run, const nlohmann::ordered_json& summary) {
  const CompiledScene& scene = *run.scene;
  ColumnWriter columns;
  Json head;
  head["name"] = run.name;
  head["engine"] = run.engine;
  head["rate"] = kPageRate;
  head["duration"] = run.duration;
  head["timestep"] = run.timestep;
  head["seed"] = run.seed;
  head["pushes"] = run.marks;
  head["heading"] = mean_heading(run);
  head["diverged"] = run.diverged;
  head["bodies"] = describe_bodies(scene);
  head["shapes"] = describe_shapes(*scene.model, columns);
  describe_mannequins(scene, columns, head["shapes"]);
  head["walking"] = {{"kappa", kWalkingKappa}, {"lambda", kWalkingLambda}};
  const std::vector<int> samples = page_samples(run);
  head["actors"] = Json::array();
  for (std::size_t a = 0; a < scene.actors.size(); ++a) {
    const ActorSlot& slot = scene.actors[a];
    const ActorTrack& track = run.actors[a];
    Json actor = {{"name", track.name.empty() ? slot.name : track.name},
                  {"motion", track.motion},
                  {"character", track.character},
                  {"controller", track.controller},
                  {"preset", track.preset},
                  {"first_body", slot.first_body},
                  {"bodies", slot.actor->bodies().size()},
                  {"mass", slot.actor->mass()},
                  {"joints", describe_joints(*slot.actor)}};
    add_verdict(run, a, samples, columns, actor);
    if (track.fall) actor["fall"] = {{"time", track.fall->time}, {"reason", track.fall->reason}};
    head["actors"].push_back(std::move(actor));
  }
  MotionColumns(run, samples).write(columns);
  head["columns"] = columns.index();

  Json summary_text = nullptr;
  if (!summary.is_null()) summary_text = Json::parse(summary.dump());
  head["summary"] = std::move(summary_text);
  const std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out = "STNT";
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(text.size() >> shift));
  return out + text + columns.bytes();
}

}  // namespace stunt
