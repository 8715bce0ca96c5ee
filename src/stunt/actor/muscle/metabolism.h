// What muscles cost a body (Wang, Hamner, Delp and Koltun 2012, section 5, after Anderson 1999 and Alexander 1997): heat of
// activation and maintenance, heat of shortening, and the work that fibres do while they shorten.
#pragma once

#include "stunt/actor/muscle/muscle_fibres.h"

namespace stunt {

constexpr double kBasalRate = 1.51;  // W/kg of body mass: staying alive, not part of what follows

// W, of all muscles in this state.
double metabolic_rate(const MuscleFibres& muscles, const VecX& excitation, const MuscleState& state);
// The same of one muscle alone.
double metabolic_rate(const MuscleFibres& muscles, const VecX& excitation, const MuscleState& state,
                      int muscle);

}  // namespace stunt
