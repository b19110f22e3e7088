#ifndef DPL_BODY_SQUARE_ROOT_H
#define DPL_BODY_SQUARE_ROOT_H

#include <stdint.h>

/* Newton's steps from half the exponent, each of which doubles the digits: the first is within 7 %,
 * the fourth exact. 0 for numbers below it. */
static float square_root(float x) {
    if (!(x > 0)) {
        return x < 0 ? 0.0f : x;
    }
    union {
        float real;
        uint32_t bits;
    } root = {x};
    root.bits = (root.bits >> 1) + 0x1fc00000u;
    for (int i = 0; i < 4; i++) {
        root.real = 0.5f * (root.real + x / root.real);
    }
    return root.real;
}

#endif
