/* Convolution of int16 with outputs in lanes. */
#ifndef DPL_NEON_OF_OUTPUTS_S16_H
#define DPL_NEON_OF_OUTPUTS_S16_H

#include "dpl/neon/plane_elements_s16.h"

typedef int16x8_t wide_elements;
#define AS_WIDE(V) (V)

/* Four values of a pixel to V, by way of P, or one; then in 16 bits. */
#define FOUR_OF(V, P) "ldr d" #V ", [x" #P ", x9]\n"
#define ONE_OF(V, P) "ldr h" #V ", [x" #P ", x9]\n"
#define WIDENED(V) ""

#include "dpl/neon/of_outputs.h"

#endif
