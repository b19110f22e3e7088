/* Vectors of int16: eight elements, or half of them. */
#ifndef DPL_NEON_VECTORS_H
#define DPL_NEON_VECTORS_H

#include "dpl/neon/simd.h"

typedef int16x8_t vector;
typedef int16x4_t half;

enum { LANES_OF_VECTOR = 8, LANES_OF_HALF = LANES_OF_VECTOR / 2 };

#define load_vector vld1q_s16
#define store_vector vst1q_s16
#define fill_vector vdupq_n_s16
#define vector_max vmaxq_s16
#define vector_min vminq_s16
#define load_half vld1_s16
#define store_half vst1_s16
#define fill_half vdup_n_s16
#define half_max vmax_s16
#define half_min vmin_s16

#endif
