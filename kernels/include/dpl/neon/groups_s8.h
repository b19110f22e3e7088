/* Convolution of int8 in lanes of groups. */
#ifndef DPL_NEON_GROUPS_S8_H
#define DPL_NEON_GROUPS_S8_H

#include "dpl/neon/plane_elements_s8.h"

#include "dpl/neon/groups.h"

#endif
