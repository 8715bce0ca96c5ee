// The engine on ODE: the compiled scene as ODE bodies and joints, stepped by dWorldStep (the exact solver).
#pragma once

#include "stunt/world/engine.h"

namespace stunt {

// Contacts and reactions are of the last step, at the positions it started from. docs/engines.md says what
// differs from MuJoCo. Nothing is allocated here after the first steps; ODE reuses its own memory.
std::unique_ptr<Engine> make_ode_engine(std::shared_ptr<const CompiledScene> scene);

}  // namespace stunt
