/* Three int8 outputs of four groups of two pixels, by tables of one vector: compilers lead what ST3
 * stores by way of memory. Included by groups_pairs.h. */
#ifndef DPL_NEON_GROUPS_THREES_A64_H
#define DPL_NEON_GROUPS_THREES_A64_H

/* The first two outputs of a pixel by turns, the third ones of both behind them: all three of the
 * first or the second pixel, in twelve lanes. */
INLINED int8x16_t pixel_by_turns(int8x8_t two, int8x8_t third, int second) {
    static const uint8_t at[2][16] = {{0, 1, 8, 2, 3, 9, 4, 5, 10, 6, 7, 11},
                                      {0, 1, 12, 2, 3, 13, 4, 5, 14, 6, 7, 15}};
    return vqtbl1q_s8(vcombine_s8(two, third), vld1q_u8(at[second]));
}

INLINED void store_twelve(int8_t *to, int8x16_t v) {
    vst1_s8(to, vget_low_s8(v));
    vst1q_lane_s32((int32_t *)(void *)(to + 8), vreinterpretq_s32_s8(v), 2);
}

/* Both may be the same place, where the first one stays. */
INLINED void store_pair_of_three(const group_elements *made, int8_t *first, int8_t *last) {
    const int8x8x2_t two = vzip_s8(made[0], made[BLOCK]);
    store_twelve(last, pixel_by_turns(two.val[1], made[2 * BLOCK], 1));
    store_twelve(first, pixel_by_turns(two.val[0], made[2 * BLOCK], 0));
}

/* Pixels that follow each other. */
INLINED void store_line_of_three(const group_elements *made, int8_t *to) {
    store_pair_of_three(made, to, to + 12);
}

#endif
