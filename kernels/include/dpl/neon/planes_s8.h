/* Convolution of int8 in planes. */
#ifndef DPL_NEON_PLANES_S8_H
#define DPL_NEON_PLANES_S8_H

#include "dpl/neon/plane_elements_s8.h"
#include "dpl/neon/planes.h"

#endif
