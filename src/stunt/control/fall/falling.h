// What a character does when it falls: it takes its body out of its controller's hands, either once it is down or as soon as
// it is clear that it will be.
#pragma once

#include <any>
#include <memory>
#include <string>

#include "stunt/control/fall/fall.h"
#include "stunt/control/fall/foresight.h"

namespace stunt {

struct FallingSpec {
  std::string how = "limp";  // limp: no torques; stiff: holds its pose; protect: falls well (fall.h)
  bool foreseen = false;     // as soon as a fall cannot be avoided (foresight.h); otherwise once it is down
  FallSettings protect = {};
  ForesightSettings foresight = {};
};
void describe(Fields& fields, FallingSpec& falling);

class Falling {
 public:
  // `reference`: what the character follows.
  Falling(const FallingSpec& spec, ReferencePtr reference);

  // Before every step. True: it falls, and `out` says how. `down`: whoever watches it says that it has fallen.
  bool take_over(const Observation& now, bool down, Actuation& out);
  void begin(const Observation& now);  // it falls from here on, whatever the signs say
  bool begun() const { return memory_.since >= 0; }
  double since() const { return memory_.since; }  // s on the character's clock; -1: not yet
  void follow(ReferencePtr reference);            // another motion from now on
  void forget();                                  // it stands again

  std::any save() const;
  void restore(const std::any& memory);

 private:
  struct Memory {
    double since = -1;
    Foresight::State foresight = {};
    std::any controller = {};
  };

  FallingSpec spec_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<Foresight> foresight_;  // null where nobody looks ahead
  Memory memory_;
};

}  // namespace stunt
