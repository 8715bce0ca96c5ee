// Where the camera stands for pictures of a recording: beside the way the characters face, so far away that all of the
// motion is seen, with the same scale from the first picture to the last.
#pragma once

#include <string>
#include <vector>

#include "stunt/simulate/recording.h"

namespace stunt {

// The way the characters face over the run, in rad from +X: the mean heading of their pelvises while they are upright.
// Where it means nothing (they turn round and round, or lie all the time) it is that of the first sample.
double mean_heading(const Recording& recording);

// What of the world has to be in the picture at one moment.
struct View {
  Vec3 centre;        // m
  double tall, wide;  // m that must fit, across the line of sight
};

class Framing {
 public:
  // `camera`: side, front, corner, top (InputError for others). With `ghost` the references are to be seen too.
  Framing(const Recording& recording, const std::string& camera, bool ghost);

  View at(int sample) const;
  View together(const std::vector<int>& samples) const;  // all these moments in one picture
  double azimuth() const { return azimuth_; }  // degrees, of the line of sight, as MuJoCo's camera has it
  double elevation() const { return elevation_; }

 private:
  void measure(bool ghost);
  Vec3 roots(int sample) const;  // m, the middle of the characters' roots
  Vec3 middle(
      int sample) const;  // the same over half a second, so that the camera does not shake with the steps

  const Recording* run_;
  bool top_;
  double azimuth_ = 0, elevation_ = 0;  // degrees
  Vec3 right_ = Vec3::UnitY();          // unit, of the picture
  double low_ = 0, high_ = 1.8;  // m, heights the characters reach; above the ground, or from the middle
  bool follow_height_ = false;   // they climb or descend: the picture goes along
  double half_width_ = 0.9;      // m to each side of the middle
};

}  // namespace stunt
