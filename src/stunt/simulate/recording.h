// Everything needed to draw, export or assess a run without simulating again: named channels, each with its unit, and
// what happened. docs/recording.md describes every channel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "stunt/actor/muscle/muscle.h"
#include "stunt/world/scene/compiled_scene.h"

namespace stunt {

// One quantity over time: a row of `width` numbers for every sample.
class Channel {
 public:
  enum class Type { f8, f4, u1 };
  Channel(std::string name, std::string unit, std::string help, int width, Type type);

  const std::string& name() const { return name_; }
  const std::string& unit() const { return unit_; }
  const std::string& help() const { return help_; }
  int width() const { return width_; }
  Type type() const { return static_cast<Type>(values_.index()); }
  int rows() const;

  // All rows, one after the other. T must be the channel's own type: double, float or std::uint8_t.
  template <typename T>
  std::vector<T>& all() {
    return std::get<std::vector<T>>(values_);
  }
  template <typename T>
  const std::vector<T>& all() const {
    return std::get<std::vector<T>>(values_);
  }
  template <typename T>
  std::span<const T> row(int i) const {
    return {all<T>().data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(width_),
            static_cast<std::size_t>(width_)};
  }
  void reserve(int rows);
  void truncate(int rows);

 private:
  std::string name_, unit_, help_;
  int width_;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::uint8_t>> values_;
};

// Channels by name.
class Channels {
 public:
  Channel& add(std::string name, std::string unit, std::string help, int width, Channel::Type type);
  const Channel* find(std::string_view name) const;  // null where there is none
  const Channel& at(std::string_view name) const;    // throws std::out_of_range
  Channel& at(std::string_view name);
  auto begin() const { return channels_.begin(); }
  auto end() const { return channels_.end(); }
  void truncate(int rows);

 private:
  std::vector<std::unique_ptr<Channel>> channels_;  // which stay where they are when one is added
};

struct RecordedContact {
  int body1, body2;  // scene bodies
  float point[3];    // m
  float force[3];    // N, on body2
};

struct Fall {
  double time;         // s, start of the interval that made it a fall
  std::string reason;  // which rule and body
};

struct MotionSource;  // motion_source.h

// One character's part in a recording.
struct ActorTrack {
  ActorSlot slot;  // its body, and where it lies in the scene's bodies, q and v
  std::string name, motion, character, controller, preset;
  bool pedestal = false;
  Channels channels;  // docs/recording.md; reference_q only where the character had a motion to follow
  std::optional<Fall> fall;
  double assist_force_mean = 0;    // N, mean magnitude of unphysical help on the root
  std::vector<std::string> notes;  // what was assumed on the way from the file to the reference
  std::vector<std::string> warnings;
  struct Span {
    double from, to;  // s
  };
  std::vector<Span> rehearsed;                 // where its motion was offset (control/parts/nudges.h)
  std::vector<Muscle> muscles;                 // of channels muscle_use, muscle_activation, muscle_force
  std::vector<std::string> states;             // segments of its routine, as channel `state` numbers them
  std::vector<float> plan_us;                  // microseconds of each plan
  int plans_relaxed = 0;                       // how many of them could not be met as asked (PlanTiming)
  std::shared_ptr<const MotionSource> source;  // null without a motion, or when read from a file

  bool has_reference() const { return channels.find("reference_q") != nullptr; }
  Eigen::Map<const VecX> reference_q(int sample) const;                   // nq
  Eigen::Map<const Eigen::VectorXf> torque(int sample) const;             // nv
  Eigen::Map<const Eigen::VectorXf> muscle_activation(int sample) const;  // 0 to 1, per muscle
  Eigen::Map<const Eigen::VectorXf> muscle_force(int sample) const;       // N
};

struct Recording {
  static constexpr int kVersion = 2;
  std::shared_ptr<const CompiledScene> scene;
  std::string scene_text;  // the scene as YAML with every default filled in, and the commands that were given
  std::string name, engine;
  std::uint64_t seed = 0;
  double timestep = 0;       // s
  double rate = 120;         // Hz, of the samples
  double duration = 0;       // s asked for
  std::vector<double> time;  // s, one per sample
  Channels channels;         // q and v of the whole scene
  std::vector<ActorTrack> actors;
  std::vector<RecordedContact> contacts;     // all samples in a row
  std::vector<std::uint32_t> contact_start;  // samples + 1: contacts of sample i are [start[i], start[i+1])
  std::vector<double> marks;                 // s, when each disturbance or command began
  std::string diverged;                      // empty, or what went wrong
  double wall_s = 0, controller_s = 0, engine_s = 0;  // wall clock of the stepping loop
  std::uint64_t steps = 0;

  int samples() const { return static_cast<int>(time.size()); }
  std::span<const RecordedContact> contacts_of(int sample) const;
  // The whole scene's, and one character's.
  Eigen::Map<const VecX> q(int sample) const;
  Eigen::Map<const VecX> v(int sample) const;
  Eigen::Map<const VecX> q(int sample, const ActorTrack& track) const;
  Eigen::Map<const VecX> v(int sample, const ActorTrack& track) const;
};

}  // namespace stunt
