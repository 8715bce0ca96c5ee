// Writes a recording while the simulation runs: the state at every sample, and between the samples the peaks and impulses
// of forces, because impacts last milliseconds.
#pragma once

#include <vector>

#include "stunt/reference/reference.h"
#include "stunt/simulate/observer.h"
#include "stunt/simulate/recording.h"

namespace stunt {

class Engine;

class Recorder : public Observer {
 public:
  // Makes the channels and room for `duration` seconds of them.
  void begin(Simulation& simulation, double duration);
  void stepped(Simulation& simulation) override;
  void sampled(Simulation& simulation, const Moment& moment) override;

  Recording& recording() { return recording_; }
  const Recording& recording() const { return recording_; }

  // What is not in the recording yet: forces since the last sample.
  struct Since {
    std::vector<float> impulse, contact_peak, force_peak, torque_peak,
        acceleration_peak;  // per body; impulse: 3 each
  };
  const std::vector<Since>& since_last_sample() const { return since_; }
  // Back to how it was when it had so many samples.
  void go_back(int samples, std::size_t marks, std::vector<Since> since);

 private:
  void look_at_forces(Engine& engine, const ActorSlot& slot, Since& since);

  Recording recording_;
  Channel* q_ = nullptr;
  Channel* v_ = nullptr;
  std::vector<Since> since_;
  ReferenceSample target_;
};

}  // namespace stunt
