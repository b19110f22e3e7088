/* Places of eight pixels in the output. */
#ifndef DPL_NEON_PLANE_PLACES_H
#define DPL_NEON_PLANE_PLACES_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/simd.h"

/* The second of eight places where they are so many bytes apart: then the first one tells all. The
 * third where the eight behind them go on so. */
#define IN_LINE INT32_MIN

/* Where eight pixels go: `step` bytes apart, or as `at` lists them. */
INLINED void list_stores(int8_t *out, const int32_t *at, int32_t step, int8_t **to) {
    int8_t *first = out + at[0];
    if (at[1] == IN_LINE) {
        __asm__("" : "+r"(first)); /* or compilers add it to each distance, not they to it */
        UNROLLED for (int i = 0; i < DPL_PLANE_PIXELS; i++) {
            to[i] = first + (int64_t)i * step;
        }
    } else {
        UNROLLED for (int i = 0; i < DPL_PLANE_PIXELS; i++) {
            to[i] = out + at[i];
        }
    }
}

#endif
