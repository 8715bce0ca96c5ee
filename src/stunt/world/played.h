// A scene of which only a part is simulated: the other characters are put where they are told and cost next to nothing.
//
// To the outside it is an engine for the whole scene. Inside is an engine for a smaller one, with the characters that
// are simulated now; it is made anew, in the state of that moment, when one joins or leaves.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stunt/world/engine.h"

namespace stunt {

class PlayedEngine final : public Engine {
 public:
  // Compiles the scene with those of its characters that are marked.
  using Compile = std::function<std::shared_ptr<const CompiledScene>(const std::vector<char>& simulated)>;
  // Throws InputError for a scene with platforms: they move by a clock that the smaller engines do not share.
  PlayedEngine(std::string engine, std::shared_ptr<const CompiledScene> whole, Compile compile,
               std::vector<char> simulated);

  bool simulated(int actor) const { return simulated_[static_cast<std::size_t>(actor)] != 0; }
  void simulate(int actor, bool on);  // from the state it is in
  // Where a character that is not simulated is (its own nq and nv numbers).
  void play(int actor, std::span<const double> q, std::span<const double> v);
  // Whether something is about to touch a character that is not simulated, or a force acts on it.
  bool is_touched(int actor);

  std::string name() const override { return inner_->name(); }
  const CompiledScene& scene() const override { return *whole_; }
  double time() const override { return start_ + inner_->time(); }
  std::span<const double> q() const override { return q_; }
  std::span<const double> v() const override { return v_; }
  void set_state(std::span<const double> q, std::span<const double> v) override;
  void place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                       const Vec3& angular_velocity) override;
  Vec3 body_position(int body) const override;
  Quat body_rotation(int body) const override;
  Vec3 body_velocity_at(int body, const Vec3& world_point) const override;
  std::span<double> joint_forces() override { return forces_; }
  void apply_force(int body, const Vec3& force, const Vec3& world_point) override;
  void apply_torque(int body, const Vec3& torque) override;
  double timestep() const override { return inner_->timestep(); }
  void step() override;
  std::span<const Contact> contacts() override;
  Wrench joint_reaction(int body) override;
  Vec3 body_acceleration(int body) override;
  Snapshot save() const override;
  void restore(const Snapshot& snapshot) override;

 private:
  // A run of consecutive numbers of the whole scene, and where it lies in the smaller one.
  struct Piece {
    int whole, inner, count;
  };
  void rebuild(const std::vector<char>& simulated);
  void map();
  void read_inner();
  void give_inner_the_state();
  int inner_body(int body) const { return bodies_[static_cast<std::size_t>(body)]; }
  void need_view() const;
  bool near_something(const ActorSlot& slot);
  void find_movers();
  void pose_alone(const ActorSlot& slot);

  // A shape that moves by itself: where it is now, and how fast.
  struct Mover {
    int geom;
    Vec3 place;      // m
    double turn[4];  // quaternion
    double radius;   // m, of a sphere that holds it
    double speed;    // m/s
  };

  std::string engine_;
  std::shared_ptr<const CompiledScene> whole_;
  Compile compile_;
  std::vector<char> simulated_;  // per character
  std::vector<char> placed_;     // per free body: no longer waiting
  std::vector<char> pushed_;     // per character
  std::unique_ptr<Engine> inner_;
  std::vector<Piece> q_pieces_, v_pieces_;
  std::vector<int> bodies_;        // inner body of each of the whole scene's, or -1
  std::vector<int> whole_bodies_;  // the other way round
  std::vector<int> moving_geoms_;  // of the whole scene
  std::vector<Mover> movers_;      // of them, those that do not wait, as they are now
  bool movers_known_ = false;
  double start_ = 0;  // s, when the inner engine was made
  std::vector<double> q_, v_, forces_;
  std::vector<Contact> contacts_;
  mutable DataPtr view_;  // kinematics of the whole scene, for those that are played
  mutable bool view_known_ = false;
  std::vector<DataPtr> alone_;  // per character, of its own model
};

}  // namespace stunt
