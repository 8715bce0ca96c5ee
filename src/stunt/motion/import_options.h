// What a person knows better than the program about a motion file. Empty: the program finds it, and says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stunt {

struct RoleOption {
  std::string role;   // "left_foot"
  std::string joint;  // a joint's name in the file; "none": nothing has this role
};

struct ImportOptions {
  std::optional<double> unit_m;        // metres per file unit
  std::optional<double> fps;           // frames per second, instead of the file's
  std::optional<std::string> up_axis;  // of the file: "x", "y", "z", "-x", "-y" or "-z"
  std::optional<std::string>
      forward_axis;                      // of the file, becomes our X; usual: z where y is up, x where z is
  std::optional<bool> drop_rest_frame;   // is there a rest pose before the motion?
  std::optional<double> floor_m;         // height of the floor in the file's axes, level
  std::vector<RoleOption> roles;         // which joint is what
  std::optional<std::string> animation;  // of several in a file: its name, or its number from 1
  std::optional<double> start, end;      // s, of the file's own time: what lies outside is left out
  bool in_place = false;                 // a cycle that walks on the spot stays there
  bool force = false;                    // go on with a skeleton that is not a human one
  std::optional<std::string> skeleton;   // for AMC: the ASF file with the skeleton
};

void describe(class Fields& fields, ImportOptions& options);

}  // namespace stunt
