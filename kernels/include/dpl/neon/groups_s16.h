/* Convolution of int16 in lanes of groups. */
#ifndef DPL_NEON_GROUPS_S16_H
#define DPL_NEON_GROUPS_S16_H

#include "dpl/neon/plane_elements_s16.h"

#include "dpl/neon/groups.h"

#endif
