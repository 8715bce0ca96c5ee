// The contact forces of a whole window, chosen for the rigid modes (Jain and Liu 2011, section 5.1).
//
//   min over lambda >= 0 of  1/2 |p_n - target|^2_W1 + 1/2 |p_n' - target'|^2_W2 + w_3/2 sum |lambda|^2      eq. 16
//   p_n  = free motion + sum_k (t_n - t_k) G_i V lambda_k,i,   p_n' = ... + sum_k G_i V lambda_k,i       eq. 12, 13
//
//   G_i       6 x 3, what an impulse at contact point i does to the rigid modes; frozen over the window
//   V         edges n + mu t of the friction cone (as eq. 15, with its corners as unknowns)
//   lambda    impulses along the edges, N s, of every frame k in which point i is expected to touch
//
// How it is solved: the state at the end has 12 numbers, so the dual has 12 unknowns, u = W (target - p_n):
//
//   lambda = max(0, B^T u) / w_3,   W^-1 u + B lambda(u) = gap
//
// the gradient of a piecewise quadratic function: semismooth Newton with a line search. A column of B is (T g, g), with g the
// same in every frame, so one product of g with both halves of u serves the whole window, and each edge enters the Hessian as
// g g^T times three sums over its frames. The cost is that of the points, not of points times frames.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stunt/core/rotation.h"

namespace stunt {

struct ContactPlanWeights {
  double position = 0.1;  // W_1 of the translations
  double turn = 0.5;      // W_1 of the turns
  double velocity = 1;    // W_2
  double turn_rate = 1;   // W_2 of the turns
  double force = 1e-4;    // w_3
};

class ContactPlan {
 public:
  static constexpr int kEdges = 4;
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Vec12 = Eigen::Matrix<double, 12, 1>;
  using Mat12 = Eigen::Matrix<double, 12, 12>;
  using Wrench = Eigen::Matrix<double, 6, 3>;
  using Edges = Eigen::Matrix<double, 3, kEdges>;

  // As many points and frames at most.
  ContactPlan(int most_points, int most_frames);

  // When in its frame an impulse acts: at the beginning (as printed), or spread over it, as a force that is held.
  enum class Impulse { at_once, spread };
  // Begins a window of `frames` frames of `frame_time` (s); a force is the same for `frames_per_force` of them.
  void begin(int frames, double frame_time, Impulse kind = Impulse::at_once, int frames_per_force = 1);
  // A point that touches in the frames where `touches` (one entry per frame) is not 0.
  void add_point(const Wrench& wrench, const Vec3& normal, double friction,
                 std::span<const std::uint8_t> touches);
  // Likewise one that pushes along these edges: those of a grip.
  void add_point(const Wrench& wrench, const Edges& edges, std::span<const std::uint8_t> touches);

  // `gap`, `gap_rate`: target minus free motion at the end of the window. `u` is where to start, and becomes the
  // dual solution. Nothing is allocated.
  void solve(const Vec6& gap, const Vec6& gap_rate, const ContactPlanWeights& weights, Vec12& u);

  int points() const { return points_; }
  int frames() const { return frames_; }
  // lambda, N s per frame: frames x edges, edge e of point i in column kEdges i + e.
  auto impulses() const { return impulses_.topLeftCorner(frames_, kEdges * points_); }
  const Vec3& edge(int column) const { return edges_[column]; }
  Vec3 impulse(int frame, int point) const;  // N s
  Vec6 first_impulse() const;                // on the rigid modes, of all points together in the first frame
  int iterations() const { return iterations_; }
  bool converged() const { return converged_; }

 private:
  // One force of one point: held over some frames.
  struct Slot {
    double time, count;  // sums over its frames of (t_n - t_k), s, and of 1
    double cost;         // in units of w_3
  };
  double gradient(const Vec12& u, Vec12& out);  // returns the value
  void hessian(Mat12& out) const;

  int frames_ = 0, points_ = 0, hold_ = 1, slots_per_point_ = 0;
  double frame_time_ = 0, delay_ = 0;                // s; frames
  std::vector<Vec3> edges_;                          // per column
  Eigen::Matrix<double, 6, Eigen::Dynamic> wrench_;  // per column: G V
  std::vector<Slot> slots_;                          // points x slots_per_point_; count 0: none
  std::vector<double> pull_;                         // columns x slots_per_point_: B^T u
  std::vector<std::uint8_t> touches_;                // points x frames
  MatX impulses_;
  Vec12 inverse_weight_, gap_;
  double inverse_force_ = 0;
  int iterations_ = 0;
  bool converged_ = false;
};

}  // namespace stunt
