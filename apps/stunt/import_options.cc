#include "import_options.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "stunt/core/error.h"
#include "stunt/motion/axes.h"

namespace stunt {
namespace {

const char* const kGroup = "Reading the file";

double unit_in_metres(const std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"inch", 0.0254}, {"foot", 0.3048}, {"cmu", 0.0254 / 0.45}};
  if (const auto found = kUnits.find(text); found != kUnits.end()) return found->second;
  double metres = 0.0;
  if (!CLI::detail::lexical_cast(text, metres) || !(metres > 0.0)) {
    throw InputError("--unit", fmt::format("'{}'", text),
                     "m, cm, mm, inch, foot, cmu, or metres per unit such as 0.01");
  }
  return metres;
}

RoleOption role_and_joint(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError("--role", fmt::format("'{}'", text), "ROLE=JOINT, such as left_foot=LeftAnkle");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

void add_import_options(CLI::App& command, ImportOptions& options) {
  const auto text = [&](const char* name, std::optional<std::string>& value, const char* help) {
    command
        .add_option_function<std::string>(
            name, [&value](const std::string& v) { value = v; }, help)
        ->group(kGroup);
  };
  const auto number = [&](const char* name, std::optional<double>& value, const char* help) {
    command
        .add_option_function<double>(
            name, [&value](double v) { value = v; }, help)
        ->group(kGroup);
  };
  const auto axis = [&](const std::string& name, std::optional<std::string>& value, const char* help) {
    command
        .add_option_function<std::string>(
            name, [&value, name](const std::string& v) { value = nearest_axis(axis_vector(v, name)); }, help)
        ->group(kGroup);
  };
  axis("--up", options.up_axis, "axis of the file that points up: x, y, z, -x, -y or -z");
  axis("--facing", options.forward_axis, "axis of the file that becomes forward");
  command
      .add_option_function<std::string>(
          "--unit", [&options](const std::string& v) { options.unit_m = unit_in_metres(v); },
          "length unit of the file: m, cm, mm, inch, foot, cmu, or metres per unit")
      ->group(kGroup);
  number("--floor", options.floor_m, "m: height of the floor in the file, which is then level");
  number("--fps", options.fps, "frames per second, instead of the file's");
  command
      .add_option_function<std::vector<std::string>>(
          "--role",
          [&options](const std::vector<std::string>& all) {
            options.roles.clear();
            for (const std::string& one : all) options.roles.push_back(role_and_joint(one));
          },
          "ROLE=JOINT: which joint is what, such as left_foot=LeftAnkle; repeat it for more")
      ->allow_extra_args(false)
      ->take_all()
      ->group(kGroup);
  text("--animation", options.animation, "of several animations in a file: name, or number from 1");
  number("--start", options.start, "s: leave out what comes before");
  number("--end", options.end, "s: leave out what comes after");
  command.add_flag("--in-place", options.in_place, "a cycle that walks on the spot stays there")
      ->group(kGroup);
  command
      .add_flag_callback(
          "--keep-rest-frame", [&options] { options.drop_rest_frame = false; },
          "keep a rest pose that stands before the motion")
      ->group(kGroup);
  text("--skeleton", options.skeleton, "ASF file with the skeleton of an AMC file");
  command.add_flag("--force", options.force, "go on with a body that is not human")->group(kGroup);
}

}  // namespace stunt
