// The engine on MuJoCo: the compiled scene stepped by mj_step.
#pragma once

#include "stunt/world/engine.h"

namespace stunt {

// Contacts and reactions belong to the positions at the start of the last step, where MuJoCo found them, with
// the forces that acted during it. They and the kinematics of the new state are computed only when asked for.
// After construction nothing is allocated, except that the list of contacts grows to the largest number seen.
// Throws InputError for a scene with contact mode "springs".
std::unique_ptr<Engine> make_mujoco_engine(std::shared_ptr<const CompiledScene> scene);

}  // namespace stunt
