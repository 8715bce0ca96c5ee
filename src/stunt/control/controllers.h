// The controllers there are: a table of descriptors. No other code names one.
//
// To add one: a settings struct with describe() and make_controller() (and reference_wishes() where it has any), and a
// row in controllers.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/parts/root_help.h"

namespace stunt {

// The settings of one preset of one controller, whatever their type.
class ControllerSettings {
 public:
  virtual ~ControllerSettings() = default;
  virtual std::unique_ptr<ControllerSettings> copy() const = 0;
  virtual void describe(Fields& fields) = 0;
  virtual ReferenceWishes wishes() const = 0;
  virtual std::optional<StartPose> start(const Actor& actor) const = 0;  // none: the rest pose
  virtual std::unique_ptr<Controller> make(const ControllerTask& task) const = 0;
};

struct ControllerPreset {
  std::string name, help;
  std::unique_ptr<ControllerSettings> (*settings)();  // with their defaults
};
struct ControllerKind {
  std::string name, help;
  std::vector<ControllerPreset> presets;  // the first is the default
};
const std::vector<ControllerKind>& controllers();  // the first is the default

// What a scene says about one character's controller.
class ControllerSpec {
 public:
  ControllerSpec();                                                         // the default controller
  ControllerSpec(const std::string& kind, const std::string& preset = "");  // throws InputError
  ControllerSpec(const ControllerSpec& other);
  ControllerSpec& operator=(const ControllerSpec& other);

  const std::string& kind() const { return kind_; }
  const std::string& preset() const { return preset_; }
  const ControllerSettings& settings() const { return *settings_; }
  RootHelpSettings help;

  // {type: mcsim, preset: default, pedestal: ..., and the settings of that preset}
  friend void describe(Fields& fields, ControllerSpec& spec);

 private:
  std::string kind_, preset_;
  std::unique_ptr<ControllerSettings> settings_;
};
void describe(Fields& fields, ControllerSpec& spec);

// `reference` carries the controller's model of its character; `friction` multiplies the friction it plans with.
// Throws InputError where the controller cannot do that.
std::unique_ptr<Controller> make_controller(const ControllerSpec& spec, ReferencePtr reference,
                                            double friction = 1);

}  // namespace stunt
