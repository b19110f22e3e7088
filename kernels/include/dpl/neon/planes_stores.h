/* Eight pixels of up to eight channels. Included behind plane_elements_s8.h or _s16.h. */
#ifndef DPL_NEON_PLANES_STORES_H
#define DPL_NEON_PLANES_STORES_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/planes_sums.h"

/* Up to four channels, a constant. */
INLINED void store_channels(const int16x8_t *outputs, int channels, int8_t *const *to) {
    if (channels > 2) {
        store_four(outputs, channels, to);
    } else if (channels == 2) {
        store_two(outputs, to);
    } else {
        store_one(outputs, to);
    }
}

/* Eight positions, the last one first. */
INLINED void store_block(const int16x8_t *outputs, int channels, int8_t *out, const int32_t *at) {
    int8_t *to[DPL_PLANE_PIXELS], *rest[DPL_PLANE_PIXELS];
    UNROLLED for (int i = 0; i < DPL_PLANE_PIXELS; i++) {
        to[i] = out + at[i];
        rest[i] = to[i] + HALF_CHANNELS * ELEMENT_BYTES;
    }
    store_channels(outputs, channels < HALF_CHANNELS ? channels : HALF_CHANNELS, to);
    if (channels > HALF_CHANNELS) {
        store_channels(outputs + HALF_CHANNELS, channels - HALF_CHANNELS, rest);
    }
}

#endif
