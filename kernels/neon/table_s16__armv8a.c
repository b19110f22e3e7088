/* Table, int16: between two neighbouring entries, which are one load. Eight elements at a time: the
 * difference of two entries may have 17 bits, its product with the place between them 24. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"
#include "dpl/neon/eight.h"

#define KERNEL dpl_table_s16__armv8a
typedef dpl_table_s16_args args;
typedef element source;

enum { STEP_BITS = 7, HALF_LANES = 4 };

/* Entries j and j + 1, the first in the lower half. */
static inline int32x4_t pairs_at(const int16_t *table, const int16_t *input) {
    int32_t pairs[HALF_LANES];
    UNROLLED for (int i = 0; i < HALF_LANES; i++) {
        __builtin_memcpy(pairs + i, table + ((input[i] - LOWEST) >> STEP_BITS), sizeof *pairs);
    }
    return vld1q_s32(pairs);
}

static inline int16x4_t between(int32x4_t pairs, int16x4_t x) {
    const int32x4_t far =
        vandq_s32(vmovl_s16(x), vdupq_n_s32((1 << STEP_BITS) - 1)); /* LOWEST has no low bits */
    const int32x4_t entry = vshrq_n_s32(vshlq_n_s32(pairs, 16), 16);
    const int32x4_t rise = vmulq_s32(vsubq_s32(vshrq_n_s32(pairs, 16), entry), far);
    return vmovn_s32(vaddq_s32(entry, vrshrq_n_s32(rise, STEP_BITS)));
}

static inline int16x8_t entries(const int16_t *table, const int16_t *input) {
    const int16x8_t x = vld1q_s16(input);
    const int16x4_t low = between(pairs_at(table, input), vget_low_s16(x));
    const int16x4_t high = between(pairs_at(table, input + HALF_LANES), vget_high_s16(x));
    return vcombine_s16(low, high);
}

/* The last eight are taken before anything is written, since the output may take the input's place:
 * they overlap those before. */
static void run(const args *a, const element *input, element *out, int32_t count) {
    const int16_t *table = a->table;
    if (count < EIGHT) {
        int16_t few[EIGHT];
        vst1q_s16(few, load_few(input, count));
        store_few(out, entries(table, few), count);
        return;
    }
    const int32_t last = count - EIGHT;
    const int16x8_t end = entries(table, input + last);
    for (int32_t i = 0; i < last; i += EIGHT) {
        vst1q_s16(out + i, entries(table, input + i));
    }
    vst1q_s16(out + last, end);
}

#include "dpl/body/runs.h"
