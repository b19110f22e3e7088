/* What a normalization multiplies by: docs/arithmetic.md, Normalizations. */
#ifndef DPL_OVER_ROOT_H
#define DPL_OVER_ROOT_H

#include <stdint.h>

typedef struct {
    int32_t multiplier, shift;
} dpl_over_root;

/* The root of x, rounded down: a bit a turn, without products. */
static inline uint32_t dpl_root(uint32_t x) {
    uint32_t root = 0;
    for (uint32_t bit = (uint32_t)1 << 30; bit > 0; bit >>= 2) {
        const uint32_t tried = root + bit;
        root >>= 1;
        if (x >= tried) {
            x -= tried;
            root += bit;
        }
    }
    return root;
}

/* The 32 bits of x behind its leading pairs of zeros, and how many of those there are. */
static inline uint32_t dpl_leading(uint64_t x, int32_t *pairs) {
    uint32_t high = (uint32_t)(x >> 32), low = (uint32_t)x;
    *pairs = 0;
    if (high == 0) {
        high = low;
        low = 0;
        *pairs = 16;
    }
    for (int32_t step = 16; step > 1; step >>= 1) {
        if (high >> (32 - step) == 0) {
            high = high << step | low >> (32 - step);
            low <<= step;
            *pairs += step / 2;
        }
    }
    return high;
}

/* d over the root of variance, with fraction bits, is (d * multiplier) >> shift, rounded half up.
 */
static inline dpl_over_root dpl_over_root_of(uint64_t variance, int32_t fraction) {
    dpl_over_root found = {0, 1};
    if (variance > 0) {
        int32_t pairs;
        const uint32_t root = dpl_root(dpl_leading(variance, &pairs)); /* 2^15 or more */
        found.multiplier = (int32_t)(UINT32_MAX / root << 14);
        found.shift = 62 - fraction - pairs;
    }
    return found;
}

#endif
