/* What outputs lie within. */
#ifndef DPL_NEON_PLANE_BOUNDS_H
#define DPL_NEON_PLANE_BOUNDS_H

#include "dpl/neon/simd.h"

typedef struct {
    int16_t low, high;
} plane_bounds;

#endif
