/* Eight pixels of up to eight channels. Included behind plane_elements_s8.h or _s16.h. */
#ifndef DPL_NEON_PLANES_STORES_H
#define DPL_NEON_PLANES_STORES_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/line_stores.h"
#include "dpl/neon/plane_places.h"
#include "dpl/neon/planes_sums.h"
#include "dpl/neon/planes_turns.h"

/* Up to four channels, a constant. */
INLINED void store_channels(const int16x8_t *outputs, plane_bounds within, int channels,
                            int8_t *const *to) {
    if (channels > 2) {
        store_four(outputs, within, channels, to);
    } else if (channels == 2) {
        store_two(outputs, within, to);
    } else {
        store_one(outputs, within, to);
    }
}

/* Eight positions, the last one first. `step`: bytes between pixels of the output. */
INLINED void store_block(int16x8_t *outputs, plane_bounds within, int channels, int8_t *out,
                         const int32_t *at, int32_t step) {
    int8_t *to[DPL_PLANE_PIXELS], *rest[DPL_PLANE_PIXELS];
    limit_all(outputs, channels, within);
    if (lie_side_by_side(at, step, channels)) {
        store_side_by_side(outputs, within, channels, out + at[0]);
        return;
    }
    list_stores(out, at, step, to);
    store_channels(outputs, within, channels < HALF_CHANNELS ? channels : HALF_CHANNELS, to);
    if (channels > HALF_CHANNELS) {
        UNROLLED for (int i = 0; i < DPL_PLANE_PIXELS; i++) {
            rest[i] = to[i] + HALF_CHANNELS * ELEMENT_BYTES;
        }
        store_channels(outputs + HALF_CHANNELS, within, channels - HALF_CHANNELS, rest);
    }
}

/* Sixteen of one channel to five. */
INLINED void store_wide(int16x8_t *outputs, plane_bounds within, int channels, int8_t *out,
                        const int32_t *at, int32_t step) {
    int8_t *to[DPL_PLANE_PIXELS], *behind[DPL_PLANE_PIXELS];
    if (at[2] == IN_LINE && !lie_side_by_side(at, step, channels)) {
        store_in_line(outputs, channels, within, out + at[0], step);
        return;
    }
    if (at[2] == IN_LINE || channels > 2) {
        store_block(outputs + channels, within, channels, out, at + DPL_PLANE_PIXELS, step);
        store_block(outputs, within, channels, out, at, step);
        return;
    }
    limit_all(outputs, 2 * channels, within);
    list_stores(out, at, step, to);
    list_stores(out, at + DPL_PLANE_PIXELS, step, behind);
    if (channels == 1) {
        store_one_wide(outputs, within, to, behind);
    } else {
        store_two_wide(outputs, within, to, behind);
    }
}

#endif
