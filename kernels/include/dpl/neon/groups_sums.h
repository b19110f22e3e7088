/* Sums of eight positions of eight groups, by an output of each. */
#ifndef DPL_NEON_GROUPS_SUMS_H
#define DPL_NEON_GROUPS_SUMS_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/simd.h"

#define LANES_OF_GROUPS DPL_GROUP_LANES
#define BLOCK DPL_PLANE_PIXELS

/* Of an output of eight groups, behind its weights; negative shifts: to the right. */
typedef struct {
    int32_t bias[LANES_OF_GROUPS], multiplier[LANES_OF_GROUPS];
    int32_t rounding[LANES_OF_GROUPS], shift[LANES_OF_GROUPS];
} group_table;

#ifdef __aarch64__
#include "dpl/neon/groups_sums_a64.h"
#endif

/* `count` values whose cells are so many bytes behind `cells`; `at` goes on with two places that
 * may be read. */
INLINED void sum_groups(const int8_t *cells, const uint16_t *at, int32_t count,
                        const int16_t *weights, const group_table *table, int32x4_t *low,
                        int32x4_t *high) {
#ifdef __aarch64__
    sum_groups_a53(cells, at, count, weights, table->bias, low, high);
#else
    UNROLLED for (int i = 0; i < BLOCK; i++) {
        low[i] = vld1q_s32(table->bias);
        high[i] = vld1q_s32(table->bias + 4);
    }
    for (; count > 0; count--, weights += LANES_OF_GROUPS) {
        const int16_t *own = (const int16_t *)(const void *)(cells + *at++);
        const int16x8_t w = vld1q_s16(weights);
        UNROLLED for (int i = 0; i < BLOCK; i++) {
            const int16x8_t x = vld1q_s16(own + i * LANES_OF_GROUPS);
            low[i] = vmlal_s16(low[i], vget_low_s16(x), vget_low_s16(w));
            high[i] = vmlal_s16(high[i], vget_high_s16(x), vget_high_s16(w));
        }
    }
#endif
}

#endif
