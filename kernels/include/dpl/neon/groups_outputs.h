/* Sums of eight positions of eight groups to outputs, and into the tensor. */
#ifndef DPL_NEON_GROUPS_OUTPUTS_H
#define DPL_NEON_GROUPS_OUTPUTS_H

#define MOST_TURNS 4 /* outputs a group that a store takes by turns */

#include "dpl/neon/groups_sums.h"
#include "dpl/neon/plane_places.h"
#include "dpl/neon/rules.h"

/* Whether the rule is DPL_Q31 and every shift takes more than the low word of a product. */
static inline int groups_take_high_words(dpl_rule rule, const group_table *table) {
    int32_t all = rule == DPL_Q31 ? -1 : 0;
    for (int32_t i = 0; i < LANES_OF_GROUPS; i++) {
        all &= table->shift[i] + 32; /* negative beyond a word */
    }
    return all < 0;
}

INLINED int32x4_t scaled_high_lanes(const factors *by, int32x4_t sums) {
    const int32x4_t shift = vaddq_s32(by->shift, vdupq_n_s32(31));
    return vaddq_s32(vrshlq_s32(doubled_high_words(sums, by->multiplier), shift), by->rounding);
}

static inline int32x4_t scaled_lanes(dpl_rule rule, int high_words, const factors *by,
                                     int32x4_t sums) {
    if (high_words) {
        return scaled_high_lanes(by, sums);
    }
    return scaled_any(rule, by, sums);
}

static inline factors half_of(const group_table *t, int32_t i) {
    const factors by = {vld1q_s32(t->multiplier + i), vld1q_s32(t->rounding + i),
                        vld1q_s32(t->shift + i)};
    return by;
}

static __attribute__((noinline)) void finish_any_groups(dpl_rule rule, const group_table *table,
                                                        const int32x4_t *low, const int32x4_t *high,
                                                        int16x8_t *outputs) {
    const int high_words = groups_take_high_words(rule, table);
    const factors first = half_of(table, 0), last = half_of(table, LANES_OF_GROUPS / 2);
    for (int32_t i = 0; i < BLOCK; i++) {
        const int32x4_t a = scaled_lanes(rule, high_words, &first, low[i]);
        const int32x4_t b = scaled_lanes(rule, high_words, &last, high[i]);
        outputs[i] = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    }
}

/* What is alike in all outputs; `usual`: by the rule DPL_Q32 alone, where the zero point of int16
 * is 0. Told before loops, in which a store could change it. */
typedef struct {
    dpl_rule rule;
    int usual;
    plane_bounds within;
} group_limits;

static inline group_limits group_limits_of(const dpl_requant *q, const group_table *table) {
    const group_limits limits = {.rule = q->rule,
                                 .usual = q->rule == DPL_Q32 &&
                                          (ELEMENT_BYTES == 1 || table->rounding[0] == 0),
                                 .within = {(int16_t)q->low, (int16_t)q->high}};
    return limits;
}

/* What DPL_Q32 takes of a table. */
typedef struct {
    int32x4_t first, last;
    int16x8_t zero;
} group_factors;

INLINED group_factors group_factors_of(const group_table *table) {
    const group_factors by = {vld1q_s32(table->multiplier),
                              vld1q_s32(table->multiplier + LANES_OF_GROUPS / 2),
                              vdupq_n_s16((int16_t)table->rounding[0])};
    return by;
}

/* By the rule DPL_Q32 four cycles a position: twice the high words of products in two, half of
 * that, rounded and narrowed, in one, and the zero point, which is added in 16 bits, where sums
 * that do not fit are beyond what int8 keeps; that of int16 is 0. */
INLINED void finish_groups_by(const group_limits *q, const group_factors *by,
                              const group_table *table, const int32x4_t *low, const int32x4_t *high,
                              int16x8_t *outputs) {
    if (q->usual) {
        UNROLLED for (int i = 0; i < BLOCK; i++) {
            const int16x4_t half = vqrshrn_n_s32(vqdmulhq_s32(low[i], by->first), 1);
            const int16x8_t all = vqrshrn_high_n_s32(half, vqdmulhq_s32(high[i], by->last), 1);
            outputs[i] = ELEMENT_BYTES == 1 ? vqaddq_s16(all, by->zero) : all;
        }
        return;
    }
    int32x4_t first[BLOCK], last[BLOCK]; /* by way of memory: copies leave the sums in registers */
    int16x8_t made[BLOCK];
    UNROLLED for (int i = 0; i < BLOCK; i++) {
        first[i] = low[i], last[i] = high[i];
    }
    finish_any_groups(q->rule, table, first, last, made);
    UNROLLED for (int i = 0; i < BLOCK; i++) {
        outputs[i] = made[i];
    }
}

/* The same by a table that no other block has. */
INLINED void finish_groups(const group_limits *q, const group_table *table, const int32x4_t *low,
                           const int32x4_t *high, int16x8_t *outputs) {
    const group_factors by = group_factors_of(table);
    finish_groups_by(q, &by, table, low, high, outputs);
}

#if ELEMENT_BYTES == 1
typedef int8x8_t group_elements;
typedef int8_t group_element;
#define TURNS(N) int8x8x##N##_t
#define STORE_ELEMENTS(P, V) vst1_s8(P, V)
#define STORE_TURNS_2 vst2_s8
#define STORE_TURNS_3 vst3_s8
#define STORE_TURNS_4 vst4_s8
#define GROUP_LANE(P, V, I) STORE_1(P, vcombine_s8(V, V), I)

/* Limits of the type itself are those of the narrowing. */
INLINED void limit_groups(const int16x8_t *outputs, plane_bounds within, group_elements *to) {
    if (within.low == INT8_MIN && within.high == INT8_MAX) {
        UNROLLED for (int i = 0; i < BLOCK; i++) {
            to[i] = vqmovn_s16(outputs[i]);
        }
        return;
    }
    UNROLLED for (int i = 0; i < BLOCK; i += 2) {
        const int8x16_t both = bytes_of(outputs[i], outputs[i + 1], within);
        to[i] = vget_low_s8(both), to[i + 1] = vget_high_s8(both);
    }
}
#else
typedef int16x8_t group_elements;
typedef int16_t group_element;
#define TURNS(N) int16x8x##N##_t
#define STORE_ELEMENTS(P, V) vst1q_s16(P, V)
#define STORE_TURNS_2 vst2q_s16
#define STORE_TURNS_3 vst3q_s16
#define STORE_TURNS_4 vst4q_s16
#define GROUP_LANE(P, V, I) STORE_1(P, V, I)

INLINED void limit_groups(const int16x8_t *outputs, plane_bounds within, group_elements *to) {
    const int whole = within.low == INT16_MIN && within.high == INT16_MAX;
    UNROLLED for (int i = 0; i < BLOCK; i++) {
        to[i] = whole ? outputs[i] : limited(outputs[i], within);
    }
}
#endif

/* An output of each group, of eight positions, the last one first. */
INLINED void store_single(const group_elements *made, int8_t *const *to) {
    UNROLLED for (int i = BLOCK - 1; i >= 0; i--) {
        STORE_ELEMENTS((group_element *)(void *)to[i], made[i]);
    }
}

/* One of several that groups have: lane by lane, `apart` bytes. */
INLINED void store_apart(const group_elements *made, int64_t apart, int8_t *const *to) {
    UNROLLED for (int i = BLOCK - 1; i >= 0; i--) {
        const group_elements v = made[i];
        int8_t *at = to[i];
        GROUP_LANE(at, v, 0);
        GROUP_LANE(at += apart, v, 1);
        GROUP_LANE(at += apart, v, 2);
        GROUP_LANE(at += apart, v, 3);
        GROUP_LANE(at += apart, v, 4);
        GROUP_LANE(at += apart, v, 5);
        GROUP_LANE(at += apart, v, 6);
        GROUP_LANE(at += apart, v, 7);
    }
}

/* All of two, three or four that groups have: by turns. */
#define STORE_ALL_OF(N)                                                                            \
    for (int i = BLOCK - 1; i >= 0; i--) {                                                         \
        TURNS(N) all;                                                                              \
        UNROLLED for (int n = 0; n < (N); n++) {                                                   \
            all.val[n] = made[n * BLOCK + i];                                                      \
        }                                                                                          \
        STORE_TURNS_##N((group_element *)(void *)to[i], all);                                      \
    }

INLINED void store_turns(const group_elements *made, int32_t outputs, int8_t *const *to) {
    switch (outputs) {
    case 2: STORE_ALL_OF(2) break;
    case 3: STORE_ALL_OF(3) break;
    default: STORE_ALL_OF(4) break;
    }
}

#endif
