#include "stunt/assess/blows/blows.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kFree = 0.1;     // s without contact, after which a blow is over
constexpr double kBefore = 0.03;  // s before the contact, in which the closing speed is looked for
constexpr double kAfter = 0.3;    // s, in which head or chest move

bool below(const Actor& actor, int body, int ancestor) {
  for (int b = body; b >= 0; b = actor.bodies()[static_cast<std::size_t>(b)].parent) {
    if (b == ancestor) return true;
  }
  return false;
}

// Hands and what they hold.
bool strikes(const Actor& actor, int body) {
  for (const Role role : {Role::left_hand, Role::right_hand}) {
    if (actor.body(role) >= 0 && below(actor, body, actor.body(role))) return true;
  }
  return false;
}

// Head and trunk: what is no limb.
bool counts(const Actor& actor, int body) {
  for (const Role role : {Role::left_upper_arm, Role::right_upper_arm, Role::left_thigh, Role::right_thigh,
                          Role::left_clavicle, Role::right_clavicle}) {
    if (actor.body(role) >= 0 && below(actor, body, actor.body(role))) return false;
  }
  return true;
}

class BlowFinder {
 public:
  explicit BlowFinder(const Recording& run)
      : run_(run), model_(*run.scene->model), data_(mj_makeData(&model_)) {}

  std::vector<Blow> find() {
    struct Open {
      Blow blow;
      int hand, target;  // bodies of the scene
      double last;       // s of the last contact
    };
    std::vector<Open> open;
    std::vector<Blow> blows;
    for (int i = 0; i < run_.samples(); ++i) {
      const double t = run_.time[static_cast<std::size_t>(i)];
      for (const RecordedContact& contact : run_.contacts_of(i)) {
        for (const bool first_strikes : {true, false}) {
          const int hand = first_strikes ? contact.body1 : contact.body2;
          const int target = first_strikes ? contact.body2 : contact.body1;
          const int from = run_.scene->actor_of(hand), to = run_.scene->actor_of(target);
          if (from < 0 || to < 0 || from == to) continue;
          const ActorSlot &a = slot(from), &b = slot(to);
          if (!strikes(*a.actor, a.own(hand)) || !counts(*b.actor, b.own(target))) continue;
          const auto known = std::find_if(
              open.begin(), open.end(), [&](const Open& o) { return o.hand == hand && o.target == target; });
          if (known != open.end()) {
            known->last = t;
          } else {
            open.push_back(
                {{t, from, to, b.own(target), closing_speed(i, hand, target), 0, 0}, hand, target, t});
          }
        }
      }
      for (Open& o : open) {
        const Channel& impulse =
            run_.actors[static_cast<std::size_t>(o.blow.to)].channels.at("contact_impulse");
        const auto row = impulse.row<float>(i).subspan(static_cast<std::size_t>(3 * o.blow.body), 3);
        o.blow.impulse += Vec3(row[0], row[1], row[2]).norm();
      }
      std::erase_if(open, [&](const Open& o) {
        if (t < o.last + kFree) return false;
        blows.push_back(o.blow);
        return true;
      });
    }
    for (const Open& o : open) blows.push_back(o.blow);
    std::sort(blows.begin(), blows.end(), [](const Blow& a, const Blow& b) { return a.time < b.time; });
    for (Blow& blow : blows) blow.moved = movement(blow);
    return blows;
  }

 private:
  const ActorSlot& slot(int actor) const { return run_.scene->actors[static_cast<std::size_t>(actor)]; }

  void pose(int sample) {
    std::copy_n(run_.q(sample).data(), model_.nq, data_->qpos);
    std::copy_n(run_.v(sample).data(), model_.nv, data_->qvel);
    mj_kinematics(&model_, data_.get());
    mj_comPos(&model_, data_.get());
    mj_comVel(&model_, data_.get());
  }
  Vec3 centre(int body) const { return vec3(data_->xipos + 3 * static_cast<std::ptrdiff_t>(body)); }
  Vec3 velocity(int body) const {
    mjtNum v[6];
    mj_objectVelocity(&model_, data_.get(), mjOBJ_BODY, body, v, 0);
    return vec3(v + 3);
  }

  double closing_speed(int sample, int hand, int target) {
    double most = 0;
    for (int i = std::max(0, sample - static_cast<int>(kBefore * run_.rate)); i <= sample; ++i) {
      pose(i);
      const Vec3 way = (centre(target) - centre(hand)).normalized();
      most = std::max(most, (velocity(hand) - velocity(target)).dot(way));
    }
    return most;
  }

  // Where the body is less where its motion has it.
  Vec3 off(int sample, int actor, int body) {
    const ActorTrack& track = run_.actors[static_cast<std::size_t>(actor)];
    pose(sample);
    const Vec3 is = centre(slot(actor).first_body + body);
    std::copy_n(track.reference_q(sample).data(), slot(actor).nq, data_->qpos + slot(actor).first_q);
    mj_kinematics(&model_, data_.get());
    mj_comPos(&model_, data_.get());
    return is - centre(slot(actor).first_body + body);
  }

  double movement(const Blow& blow) {
    const ActorTrack& track = run_.actors[static_cast<std::size_t>(blow.to)];
    if (!track.has_reference()) return 0;
    const auto start = std::lower_bound(run_.time.begin(), run_.time.end(), blow.time) - run_.time.begin();
    const int first = std::max(0, static_cast<int>(start) - 1);
    double most = 0;
    for (const Role role : {Role::head, Role::chest}) {
      const int body = track.slot.actor->body(role);
      if (body < 0) continue;
      const Vec3 before = off(first, blow.to, body);
      for (int i = first; i < run_.samples() && run_.time[static_cast<std::size_t>(i)] < blow.time + kAfter;
           ++i)
        most = std::max(most, (off(i, blow.to, body) - before).norm());
    }
    return most;
  }

  const Recording& run_;
  const mjModel& model_;
  DataPtr data_;
};

}  // namespace

std::vector<Blow> find_blows(const Recording& recording) { return BlowFinder(recording).find(); }

}  // namespace stunt
