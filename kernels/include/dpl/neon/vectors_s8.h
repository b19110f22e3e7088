/* Vectors of int8: sixteen elements, or half of them. */
#ifndef DPL_NEON_VECTORS_H
#define DPL_NEON_VECTORS_H

#include "dpl/neon/simd.h"

typedef int8x16_t vector;
typedef int8x8_t half;

enum { LANES_OF_VECTOR = 16, LANES_OF_HALF = LANES_OF_VECTOR / 2 };

#define load_vector vld1q_s8
#define store_vector vst1q_s8
#define fill_vector vdupq_n_s8
#define vector_max vmaxq_s8
#define vector_min vminq_s8
#define load_half vld1_s8
#define store_half vst1_s8
#define fill_half vdup_n_s8
#define half_max vmax_s8
#define half_min vmin_s8

#endif
