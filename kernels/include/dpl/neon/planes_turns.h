/* Outputs of eight pixels that lie side by side with nothing between them. Included behind the
 * elements of a type.
 *
 * A Cortex-A53 stores a lane a cycle, and 24 elements of three vectors by turns in four. Of six
 * outputs three vectors hold two each. */
#ifndef DPL_NEON_PLANES_TURNS_H
#define DPL_NEON_PLANES_TURNS_H

#include "dpl/neon/groups_outputs.h"

#define MOST_IN_TURN 6 /* outputs of a pixel */

#ifdef __aarch64__
#include "dpl/neon/turns_a64.h"
#if ELEMENT_BYTES == 1
#define store_three_in_turn store_three_of_bytes
#else
#define store_three_in_turn store_three_of_halves
#endif
#else
INLINED void store_three_in_turn(group_element *to, group_elements a, group_elements b,
                                 group_elements c) {
    const TURNS(3) all = {{a, b, c}};
    STORE_TURNS_3(to, all);
}
#endif

/* Whether eight pixels from where `at` tells are stored so. `channels`: a constant. */
INLINED int lie_side_by_side(const int32_t *at, int32_t step, int channels) {
    const int able = channels <= MOST_TURNS || channels == MOST_IN_TURN;
    return able && at[1] == IN_LINE && step == channels * ELEMENT_BYTES;
}

#if ELEMENT_BYTES == 1
INLINED void elements_of(const int16x8_t *outputs, plane_bounds within, int channels,
                         group_elements *to) {
    UNROLLED for (int c = 0; c < channels; c += 2) {
        const int one = c + 1 == channels;
        const int8x16_t both = bytes_of(outputs[c], outputs[one ? c : c + 1], within);
        to[c] = vget_low_s8(both);
        if (!one) {
            to[c + 1] = vget_high_s8(both);
        }
    }
}

/* Of two channels, pixel by pixel. */
INLINED int16x8_t paired(int8x8_t a, int8x8_t b) {
    const int8x8x2_t both = vzip_s8(a, b);
    return vreinterpretq_s16_s8(vcombine_s8(both.val[0], both.val[1]));
}

INLINED void store_pairs_of_two(const group_elements *made, int8_t *to) {
    vst1q_s8(to, vreinterpretq_s8_s16(paired(made[0], made[1])));
}

INLINED void store_six(const group_elements *made, int8_t *to) {
    const int16x8x3_t all = {
        {paired(made[0], made[1]), paired(made[2], made[3]), paired(made[4], made[5])}};
    vst3q_s16((int16_t *)(void *)to, all);
}
#else
/* They are limited already. */
INLINED void elements_of(const int16x8_t *outputs, plane_bounds within, int channels,
                         group_elements *to) {
    (void)within;
    UNROLLED for (int c = 0; c < channels; c++) {
        to[c] = outputs[c];
    }
}

INLINED void store_pairs_of_two(const group_elements *made, int8_t *to) {
    const int16x8x2_t both = vzipq_s16(made[0], made[1]);
    vst1q_s16((int16_t *)(void *)to, both.val[0]);
    vst1q_s16((int16_t *)(void *)to + DPL_PLANE_PIXELS, both.val[1]);
}

INLINED void store_six(const group_elements *made, int8_t *to) {
    const int16x8x2_t a = vzipq_s16(made[0], made[1]), b = vzipq_s16(made[2], made[3]),
                      c = vzipq_s16(made[4], made[5]);
    UNROLLED for (int i = 0; i < 2; i++) {
        const int32x4x3_t four = {{vreinterpretq_s32_s16(a.val[i]), vreinterpretq_s32_s16(b.val[i]),
                                   vreinterpretq_s32_s16(c.val[i])}};
        vst3q_s32((int32_t *)(void *)to + 12 * i, four);
    }
}
#endif

INLINED void store_side_by_side(const int16x8_t *outputs, plane_bounds within, int channels,
                                int8_t *to) {
    group_element *const at = (group_element *)(void *)to;
    group_elements made[MOST_CHANNELS];
    elements_of(outputs, within, channels, made);
    if (channels == 1) {
        STORE_ELEMENTS(at, made[0]);
    } else if (channels == 2) {
        store_pairs_of_two(made, to);
    } else if (channels == 3) {
        store_three_in_turn(at, made[0], made[1], made[2]);
    } else if (channels == 4) {
        const TURNS(4) all = {{made[0], made[1], made[2], made[3]}};
        STORE_TURNS_4(at, all);
    } else {
        store_six(made, to);
    }
}

#endif
