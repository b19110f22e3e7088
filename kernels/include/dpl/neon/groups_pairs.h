/* Outputs of four groups into the tensor: a vector has those of two positions. Included behind
 * groups_outputs.h. */
#ifndef DPL_NEON_GROUPS_PAIRS_H
#define DPL_NEON_GROUPS_PAIRS_H

#include "dpl/neon/groups_outputs.h"

#define GROUPS_IN_PAIRS DPL_GROUPS_IN_PAIRS
#define PAIRS (DPL_PLANE_PIXELS / 2)

#if ELEMENT_BYTES == 1
/* The first or last four lanes. */
#define STORE_HALF(P, V, HALF) vst1_lane_s32((int32_t *)(void *)(P), vreinterpret_s32_s8(V), HALF)
#define ZIP_ELEMENTS vzip_s8
#define ZIP_TWO(A, B) vzip_s16(vreinterpret_s16_s8(A), vreinterpret_s16_s8(B))
#define STORE_TWO(P, V) vst1_s8(P, vreinterpret_s8_s16(V))
typedef int8x8x2_t two_of_groups;
typedef int16x4x2_t four_of_groups;
#else
#define STORE_HALF STORE_4
#define ZIP_ELEMENTS vzipq_s16
#define ZIP_TWO(A, B) vzipq_s32(vreinterpretq_s32_s16(A), vreinterpretq_s32_s16(B))
#define STORE_TWO(P, V) vst1q_s16((int16_t *)(void *)(P), vreinterpretq_s16_s32(V))
typedef int16x8x2_t two_of_groups;
typedef int32x4x2_t four_of_groups;
#endif
#define PIXEL_BYTES(OUTPUTS) ((OUTPUTS)*GROUPS_IN_PAIRS * ELEMENT_BYTES)

INLINED void store_pair_of_one(const group_elements *made, int8_t *first, int8_t *last) {
    STORE_HALF(last, *made, 1);
    STORE_HALF(first, *made, 0);
}

INLINED void store_pair_of_two(const group_elements *made, int8_t *first, int8_t *last) {
    const two_of_groups both = ZIP_ELEMENTS(made[0], made[BLOCK]);
    STORE_ELEMENTS((group_element *)(void *)last, both.val[1]);
    STORE_ELEMENTS((group_element *)(void *)first, both.val[0]);
}

#if ELEMENT_BYTES == 1 && defined(__aarch64__)
#include "dpl/neon/groups_threes_a64.h"
#else
/* Two pixels that follow each other. */
INLINED void store_line_of_three(const group_elements *made, int8_t *to) {
    const TURNS(3) all = {{made[0], made[BLOCK], made[2 * BLOCK]}};
    STORE_TURNS_3((group_element *)(void *)to, all);
}

/* In words of eight bytes, of int8 with one of four behind them. */
INLINED void store_pixel_of_three(const int8_t *from, int8_t *to) {
    UNROLLED for (int i = 0; i + 8 <= (int)PIXEL_BYTES(3); i += 8) {
        vst1_s8(to + i, vld1_s8(from + i));
    }
    if (PIXEL_BYTES(3) % 8 != 0) {
        const int32x2_t last = vreinterpret_s32_s8(vld1_s8(from + 4));
        vst1_lane_s32((int32_t *)(void *)(to + 8), last, 1);
    }
}

/* Both may be the same place, where the first one stays. */
INLINED void store_pair_of_three(const group_elements *made, int8_t *first, int8_t *last) {
    int8_t two[2 * PIXEL_BYTES(3)];
    store_line_of_three(made, two);
    store_pixel_of_three(two + PIXEL_BYTES(3), last);
    store_pixel_of_three(two, first);
}
#endif

INLINED void store_four_of_groups(int8_t *to, group_elements a, group_elements b) {
    const four_of_groups all = ZIP_TWO(a, b);
    STORE_TWO(to, all.val[0]);
    STORE_TWO(to + PIXEL_BYTES(2), all.val[1]);
}

INLINED void store_pair_of_four(const group_elements *made, int8_t *first, int8_t *last) {
    const two_of_groups even = ZIP_ELEMENTS(made[0], made[BLOCK]);
    const two_of_groups odd = ZIP_ELEMENTS(made[2 * BLOCK], made[3 * BLOCK]);
    store_four_of_groups(last, even.val[1], odd.val[1]);
    store_four_of_groups(first, even.val[0], odd.val[0]);
}

/* One of several that groups have, `apart` bytes: lane by lane. */
INLINED void store_pair_apart(group_elements made, int64_t apart, int8_t *first, int8_t *last) {
    GROUP_LANE(last, made, 4);
    GROUP_LANE(last + apart, made, 5);
    GROUP_LANE(last + 2 * apart, made, 6);
    GROUP_LANE(last + 3 * apart, made, 7);
    GROUP_LANE(first, made, 0);
    GROUP_LANE(first + apart, made, 1);
    GROUP_LANE(first + 2 * apart, made, 2);
    GROUP_LANE(first + 3 * apart, made, 3);
}

INLINED void store_pair_of_any(const group_elements *made, int count, int8_t *first, int8_t *last) {
    if (count == 1) {
        store_pair_of_one(made, first, last);
    } else if (count == 2) {
        store_pair_of_two(made, first, last);
    } else if (count == 3) {
        store_pair_of_three(made, first, last);
    } else {
        store_pair_of_four(made, first, last);
    }
}

/* Two pixels that follow each other. */
INLINED void store_both(const group_elements *made, int count, int8_t *to) {
    group_element *const at = (group_element *)(void *)to;
    if (count == 1) {
        STORE_ELEMENTS(at, made[0]);
    } else if (count == 2) {
        const TURNS(2) all = {{made[0], made[BLOCK]}};
        STORE_TURNS_2(at, all);
    } else if (count == 3) {
        store_line_of_three(made, to);
    } else {
        const TURNS(4) all = {{made[0], made[BLOCK], made[2 * BLOCK], made[3 * BLOCK]}};
        STORE_TURNS_4(at, all);
    }
}

/* `count` of `outputs` a group, a constant, all or one, of eight positions that go where `at` lists
 * them; the last ones first. */
INLINED void store_pairs(const group_elements *made, int count, int32_t outputs, int8_t *out,
                         const int32_t *at, int32_t step) {
    int8_t *to[BLOCK];
    if (at[1] == IN_LINE && step == PIXEL_BYTES(count) && count == outputs) {
        UNROLLED for (int i = PAIRS - 1; i >= 0; i--) {
            store_both(made + i, count, out + at[0] + i * 2 * PIXEL_BYTES(count));
        }
        return;
    }
    list_stores(out, at, step, to);
    if (count == outputs) {
        UNROLLED for (int i = PAIRS - 1; i >= 0; i--) {
            store_pair_of_any(made + i, count, to[2 * i], to[2 * i + 1]);
        }
        return;
    }
    UNROLLED for (int i = PAIRS - 1; i >= 0; i--) {
        store_pair_apart(made[i], outputs * ELEMENT_BYTES, to[2 * i], to[2 * i + 1]);
    }
}

#endif
