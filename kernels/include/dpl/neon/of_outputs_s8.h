/* Convolution of int8 with outputs in lanes. */
#ifndef DPL_NEON_OF_OUTPUTS_S8_H
#define DPL_NEON_OF_OUTPUTS_S8_H

#include "dpl/neon/plane_elements_s8.h"

typedef int8x16_t wide_elements;
#define AS_WIDE(V) vcombine_s8(V, V)

/* Four values of a pixel to V, by way of P, or one; then in 16 bits. */
#define FOUR_OF(V, P) "ldr s" #V ", [x" #P ", x9]\n"
#define ONE_OF(V, P) "ldr b" #V ", [x" #P ", x9]\n"
#define WIDENED(V) "sshll v" #V ".8h, v" #V ".8b, #0\n"

#include "dpl/neon/of_outputs.h"

#endif
