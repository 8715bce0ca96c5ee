#include "stunt/world/played.h"

#include <algorithm>
#include <cassert>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kFigure = 1.5;  // m: nobody reaches further from the root
constexpr double kSoon = 0.01;   // s: a touch this near counts
constexpr double kSkin = 0.005;  // m

// The first of a character's shapes, which are consecutive; the model's number of shapes where it has none.
int first_geom(const mjModel& m, const ActorSlot& slot) {
  for (std::size_t b = 0; b < slot.actor->bodies().size(); ++b) {
    const int geom = m.body_geomadr[slot.first_body + static_cast<int>(b)];
    if (geom >= 0) return geom;
  }
  return m.ngeom;
}

}  // namespace

PlayedEngine::PlayedEngine(std::string engine, std::shared_ptr<const CompiledScene> whole, Compile compile,
                           std::vector<char> simulated)
    : engine_(std::move(engine)),
      whole_(std::move(whole)),
      compile_(std::move(compile)),
      simulated_(std::move(simulated)),
      placed_(whole_->free_bodies.size(), 0),
      pushed_(whole_->actors.size(), 0),
      q_(whole_->model->qpos0, whole_->model->qpos0 + whole_->model->nq),
      v_(static_cast<std::size_t>(whole_->model->nv), 0.0),
      forces_(v_.size(), 0.0),
      view_(mj_makeData(whole_->model.get())),
      alone_(whole_->actors.size()) {
  if (!whole_->platforms.empty()) {
    throw InputError("platforms", "a platform, and a character with when: contact", "one or the other");
  }
  if (!whole_->grips.empty()) {
    throw InputError("grip", "a grip, and a character with when: contact", "one or the other");
  }
  for (std::size_t i = 0; i < placed_.size(); ++i) placed_[i] = !whole_->free_bodies[i].waiting;
  inner_ = make_engine(engine_, compile_(simulated_));
  map();
  give_inner_the_state();
}

void PlayedEngine::rebuild(const std::vector<char>& simulated) {
  start_ = time();
  simulated_ = simulated;
  inner_ = make_engine(engine_, compile_(simulated_));
  map();
  give_inner_the_state();
  contacts_.clear();
}

void PlayedEngine::simulate(int actor, bool on) {
  std::vector<char> now = simulated_;
  now[static_cast<std::size_t>(actor)] = on;
  if (now == simulated_) return;
  rebuild(now);
  pushed_[static_cast<std::size_t>(actor)] = 0;
}

// Everything has the same name in both scenes.
void PlayedEngine::map() {
  const mjModel& whole = *whole_->model;
  const mjModel& inner = *inner_->scene().model;
  bodies_.assign(static_cast<std::size_t>(whole.nbody), -1);
  whole_bodies_.assign(static_cast<std::size_t>(inner.nbody), 0);
  q_pieces_.clear();
  v_pieces_.clear();
  for (int b = 0; b < whole.nbody; ++b) {
    const int found = b == 0 ? 0 : mj_name2id(&inner, mjOBJ_BODY, whole.names + whole.name_bodyadr[b]);
    bodies_[static_cast<std::size_t>(b)] = found;
    if (found < 0) continue;
    whole_bodies_[static_cast<std::size_t>(found)] = b;
    for (int j = 0; j < whole.body_jntnum[b]; ++j) {
      const int here = whole.body_jntadr[b] + j, there = inner.body_jntadr[found] + j;
      const int type = whole.jnt_type[here];
      q_pieces_.push_back({whole.jnt_qposadr[here], inner.jnt_qposadr[there],
                           type == mjJNT_FREE   ? 7
                           : type == mjJNT_BALL ? 4
                                                : 1});
      v_pieces_.push_back({whole.jnt_dofadr[here], inner.jnt_dofadr[there],
                           type == mjJNT_FREE   ? 6
                           : type == mjJNT_BALL ? 3
                                                : 1});
    }
  }
  moving_geoms_.clear();
  for (int g = 0; g < whole.ngeom; ++g) {
    const int b = whole.geom_bodyid[g];
    const bool ball = std::any_of(whole_->balls.begin(), whole_->balls.end(),
                                  [&](const BallSlot& slot) { return slot.geom == g; });
    if (!ball && !whole.geom_contype[g] && !whole.geom_conaffinity[g]) continue;
    if (whole.body_weldid[b] != 0 && bodies_[static_cast<std::size_t>(b)] >= 0) moving_geoms_.push_back(g);
  }
}

void PlayedEngine::give_inner_the_state() {
  const mjModel& inner = *inner_->scene().model;
  std::vector<double> q(inner.qpos0, inner.qpos0 + inner.nq), v(static_cast<std::size_t>(inner.nv), 0.0);
  for (const Piece& p : q_pieces_)
    std::copy_n(&q_[static_cast<std::size_t>(p.whole)], p.count, &q[static_cast<std::size_t>(p.inner)]);
  for (const Piece& p : v_pieces_)
    std::copy_n(&v_[static_cast<std::size_t>(p.whole)], p.count, &v[static_cast<std::size_t>(p.inner)]);
  inner_->set_state(q, v);
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const FreeBodySlot& slot = whole_->free_bodies[i];
    if (!placed_[i] || !slot.waiting) continue;
    const double* at = &q_[static_cast<std::size_t>(slot.first_q)];
    const double* with = &v_[static_cast<std::size_t>(slot.first_v)];
    const Quat turn = quat_from_wxyz(at + 3);
    inner_->place_free_body(inner_body(slot.body), Vec3(at[0], at[1], at[2]), turn,
                            Vec3(with[0], with[1], with[2]), turn * Vec3(with[3], with[4], with[5]));
  }
  view_known_ = movers_known_ = false;
}

void PlayedEngine::read_inner() {
  for (const Piece& p : q_pieces_)
    std::copy_n(inner_->q().data() + p.inner, p.count, &q_[static_cast<std::size_t>(p.whole)]);
  for (const Piece& p : v_pieces_)
    std::copy_n(inner_->v().data() + p.inner, p.count, &v_[static_cast<std::size_t>(p.whole)]);
  view_known_ = movers_known_ = false;
}

void PlayedEngine::play(int actor, std::span<const double> q, std::span<const double> v) {
  const ActorSlot& slot = whole_->actors[static_cast<std::size_t>(actor)];
  assert(!simulated(actor) && std::ssize(q) == slot.nq && std::ssize(v) == slot.nv);
  std::copy(q.begin(), q.end(), q_.begin() + slot.first_q);
  std::copy(v.begin(), v.end(), v_.begin() + slot.first_v);
  view_known_ = false;
}

bool PlayedEngine::is_touched(int actor) {
  if (pushed_[static_cast<std::size_t>(actor)]) return true;
  return near_something(whole_->actors[static_cast<std::size_t>(actor)]);
}

void PlayedEngine::find_movers() {
  if (movers_known_) return;
  const mjModel& m = *whole_->model;
  movers_.clear();
  for (const int g : moving_geoms_) {
    const int body = m.geom_bodyid[g];
    bool waits = false;
    for (std::size_t i = 0; i < placed_.size(); ++i)
      waits = waits || (whole_->free_bodies[i].body == body && !placed_[i]);
    if (waits) continue;
    const Vec3 place = inner_->body_position(inner_body(body)) +
                       inner_->body_rotation(inner_body(body)) * Eigen::Map<const Vec3>(m.geom_pos + 3 * g);
    Mover mover{g, place, {}, m.geom_rbound[g], inner_->body_velocity_at(inner_body(body), place).norm()};
    quat_to_wxyz(inner_->body_rotation(inner_body(body)) * quat_from_wxyz(m.geom_quat + 4 * g), mover.turn);
    movers_.push_back(mover);
  }
  movers_known_ = true;
}

// The character's shapes where it is, without the rest of the scene.
void PlayedEngine::pose_alone(const ActorSlot& slot) {
  const mjModel& own = slot.actor->model();
  DataPtr& data = alone_[static_cast<std::size_t>(&slot - whole_->actors.data())];
  if (!data) data.reset(mj_makeData(&own));
  std::copy_n(&q_[static_cast<std::size_t>(slot.first_q)], slot.nq, data->qpos);
  mj_kinematics(&own, data.get());
  const int first = first_geom(*whole_->model, slot);
  std::copy_n(data->geom_xpos, 3 * own.ngeom, view_->geom_xpos + 3 * first);
  std::copy_n(data->geom_xmat, 9 * own.ngeom, view_->geom_xmat + 9 * first);
  view_known_ = false;
}

bool PlayedEngine::near_something(const ActorSlot& slot) {
  const mjModel& m = *whole_->model;
  const Eigen::Map<const Vec3> root(&q_[static_cast<std::size_t>(slot.first_q)]);
  const int end = slot.first_body + static_cast<int>(slot.actor->bodies().size());
  find_movers();
  bool posed = false;
  for (const Mover& mover : movers_) {
    const double figure = kFigure + mover.radius;
    if ((mover.place - root).squaredNorm() > figure * figure) continue;
    if (!posed) pose_alone(slot);
    posed = true;
    const double soon = kSkin + kSoon * mover.speed;
    for (int own = first_geom(m, slot); own < m.ngeom && m.geom_bodyid[own] < end; ++own) {
      if (!m.geom_contype[own] && !m.geom_conaffinity[own]) continue;
      const double reach = mover.radius + m.geom_rbound[own] + soon;
      if ((mover.place - Eigen::Map<const Vec3>(view_->geom_xpos + 3 * own)).squaredNorm() > reach * reach)
        continue;
      Eigen::Map<Vec3>{view_->geom_xpos + 3 * mover.geom} = mover.place;
      mju_quat2Mat(view_->geom_xmat + 9 * mover.geom, mover.turn);
      if (mj_geomDistance(&m, view_.get(), mover.geom, own, reach, nullptr) < soon) return true;
    }
  }
  return false;
}

void PlayedEngine::need_view() const {
  if (view_known_) return;
  std::copy(q_.begin(), q_.end(), view_->qpos);
  std::copy(v_.begin(), v_.end(), view_->qvel);
  mj_kinematics(whole_->model.get(), view_.get());
  mj_comPos(whole_->model.get(), view_.get());
  mj_comVel(whole_->model.get(), view_.get());
  view_known_ = true;
}

void PlayedEngine::set_state(std::span<const double> q, std::span<const double> v) {
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  give_inner_the_state();
}

void PlayedEngine::place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                                   const Vec3& angular_velocity) {
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    if (whole_->free_bodies[i].body == body) placed_[i] = 1;
  }
  inner_->place_free_body(inner_body(body), position, rotation, velocity, angular_velocity);
  read_inner();
}

Vec3 PlayedEngine::body_position(int body) const {
  if (inner_body(body) >= 0) return inner_->body_position(inner_body(body));
  need_view();
  return Eigen::Map<const Vec3>(view_->xpos + 3 * body);
}
Quat PlayedEngine::body_rotation(int body) const {
  if (inner_body(body) >= 0) return inner_->body_rotation(inner_body(body));
  need_view();
  return quat_from_wxyz(view_->xquat + 4 * body);
}
Vec3 PlayedEngine::body_velocity_at(int body, const Vec3& world_point) const {
  if (inner_body(body) >= 0) return inner_->body_velocity_at(inner_body(body), world_point);
  need_view();
  const Eigen::Map<const Vec3> turn(view_->cvel + 6 * body), move(view_->cvel + 6 * body + 3);
  const Eigen::Map<const Vec3> about(view_->subtree_com + 3 * whole_->model->body_rootid[body]);
  return move + turn.cross(world_point - about);
}

void PlayedEngine::apply_force(int body, const Vec3& force, const Vec3& world_point) {
  if (inner_body(body) >= 0) return inner_->apply_force(inner_body(body), force, world_point);
  pushed_[static_cast<std::size_t>(whole_->actor_of(body))] = 1;
}
void PlayedEngine::apply_torque(int body, const Vec3& torque) {
  if (inner_body(body) >= 0) return inner_->apply_torque(inner_body(body), torque);
  pushed_[static_cast<std::size_t>(whole_->actor_of(body))] = 1;
}

void PlayedEngine::step() {
  for (const Piece& p : v_pieces_)
    std::copy_n(&forces_[static_cast<std::size_t>(p.whole)], p.count,
                inner_->joint_forces().data() + p.inner);
  inner_->step();
  std::fill(forces_.begin(), forces_.end(), 0.0);
  read_inner();
  contacts_.clear();
  for (Contact contact : inner_->contacts()) {
    contact.body1 = whole_bodies_[static_cast<std::size_t>(contact.body1)];
    contact.body2 = whole_bodies_[static_cast<std::size_t>(contact.body2)];
    contacts_.push_back(contact);
  }
}

std::span<const Contact> PlayedEngine::contacts() { return contacts_; }

Wrench PlayedEngine::joint_reaction(int body) {
  if (inner_body(body) < 0) return {Vec3::Zero(), Vec3::Zero()};
  return inner_->joint_reaction(inner_body(body));
}
Vec3 PlayedEngine::body_acceleration(int body) {
  return inner_body(body) < 0 ? Vec3(Vec3::Zero()) : inner_->body_acceleration(inner_body(body));
}

Snapshot PlayedEngine::save() const {
  Snapshot snapshot;
  auto& values = snapshot.values;
  values.push_back(start_);
  for (const auto* marks : {&simulated_, &placed_, &pushed_})
    values.insert(values.end(), marks->begin(), marks->end());
  values.insert(values.end(), q_.begin(), q_.end());
  values.insert(values.end(), v_.begin(), v_.end());
  const Snapshot inner = inner_->save();
  values.insert(values.end(), inner.values.begin(), inner.values.end());
  return snapshot;
}

void PlayedEngine::restore(const Snapshot& snapshot) {
  auto from = snapshot.values.begin();
  const double start = *from++;
  std::vector<char> simulated = simulated_;
  for (auto* marks : {&simulated, &placed_, &pushed_}) {
    for (char& mark : *marks) mark = *from++ != 0;
  }
  if (simulated != simulated_) rebuild(simulated);
  start_ = start;
  for (auto* numbers : {&q_, &v_}) {
    for (double& number : *numbers) number = *from++;
  }
  inner_->restore({std::vector<double>(from, snapshot.values.end())});
  view_known_ = movers_known_ = false;
  contacts_.clear();
  for (Contact contact : inner_->contacts()) {
    contact.body1 = whole_bodies_[static_cast<std::size_t>(contact.body1)];
    contact.body2 = whole_bodies_[static_cast<std::size_t>(contact.body2)];
    contacts_.push_back(contact);
  }
}

}  // namespace stunt
