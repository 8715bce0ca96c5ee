// Motions that were read, cleaned and balanced, for scenes that have them in common.
#pragma once

#include <memory>
#include <vector>

#include "stunt/simulate/performer.h"

namespace stunt {

class SharedMotions;

class PreparedMotions {
 public:
  PreparedMotions();
  ~PreparedMotions();

 private:
  std::unique_ptr<SharedMotions> shared_;
  friend std::vector<Performer> make_performers(const Scene& scene, PreparedMotions& prepared);
};

// As make_performers(scene); what `prepared` does not know yet is added to it.
std::vector<Performer> make_performers(const Scene& scene, PreparedMotions& prepared);

}  // namespace stunt
