/* Convolution of int16 in planes. */
#ifndef DPL_NEON_PLANES_S16_H
#define DPL_NEON_PLANES_S16_H

#include "dpl/neon/plane_elements_s16.h"
#include "dpl/neon/planes.h"

#endif
