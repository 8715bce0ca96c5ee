// What MuJoCo says while it reads, compiles and steps.
#pragma once

namespace stunt {

// MuJoCo would write its warnings to a file in the working directory and end the process on an error. After
// this call warnings are dropped (a diverged state shows by itself) and errors throw RunError. Safe to call
// from any thread.
void hook_mujoco_messages();

}  // namespace stunt
