/* Sums of eight positions to outputs of up to eight channels, channel by channel. */
#ifndef DPL_NEON_PLANES_OUTPUTS_H
#define DPL_NEON_PLANES_OUTPUTS_H

#include "dpl/neon/planes_sums.h"
#include "dpl/neon/rules.h"

/* Whether the rule is DPL_Q31 and every shift takes more than the low word of a product. */
static inline int channels_take_high_words(dpl_rule rule, const channel_table *tables,
                                           int32_t channels) {
    int32_t all = rule == DPL_Q31 ? -1 : 0;
    for (int32_t c = 0; c < channels; c++) {
        all &= tables[c].shift + 32; /* negative beyond a word */
    }
    return all < 0;
}

/* High words of `begin` and products by `by`, rounded down. */
INLINED int32x4_t words_of(int64x2_t begin, int32x4_t sums, int32x4_t by) {
    const int64x2_t low = vmlal_s32(begin, vget_low_s32(sums), vget_low_s32(by));
#ifdef __aarch64__
    const int64x2_t high = vmlal_high_s32(begin, sums, by);
    return vuzp2q_s32(vreinterpretq_s32_s64(low), vreinterpretq_s32_s64(high));
#else
    const int64x2_t high = vmlal_s32(begin, vget_high_s32(sums), vget_low_s32(by));
    return vcombine_s32(vshrn_n_s64(low, 32), vshrn_n_s64(high, 32));
#endif
}

INLINED int32x4_t scaled_high(const factors *by, int32x4_t sums) {
    const int32x4_t shift = vaddq_s32(by->shift, vdupq_n_s32(32));
    return vaddq_s32(vrshlq_s32(floored_high_words(sums, by->multiplier), shift), by->rounding);
}

/* Sums of eight positions of a channel by the rule DPL_Q32: high words of products that begin with
 * half a unit and the zero point, at `begin`. */
INLINED int16x8_t finish_q32(const channel_table *table, int64x2_t begin, int32x4_t low,
                             int32x4_t high) {
    const int32x4_t by = vdupq_n_s32(table->multiplier);
    return vcombine_s16(vqmovn_s32(words_of(begin, low, by)),
                        vqmovn_s32(words_of(begin, high, by)));
}

INLINED int32x4_t scaled_any(dpl_rule rule, const factors *by, int32x4_t sums) {
    switch (rule) {
    case DPL_SHIFT: return scaled(DPL_SHIFT, by, sums);
    case DPL_I32: return scaled(DPL_I32, by, sums);
    case DPL_Q16: return scaled(DPL_Q16, by, sums);
    case DPL_Q32: return scaled(DPL_Q32, by, sums);
    default: return scaled(DPL_Q31, by, sums);
    }
}

static __attribute__((noinline)) void finish_any(dpl_rule rule, int high_words,
                                                 const channel_table *tables, int32_t channels,
                                                 const int32x4_t *low, const int32x4_t *high,
                                                 int16x8_t *outputs) {
    for (int32_t c = 0; c < channels; c++) {
        const factors by = {vdupq_n_s32(tables[c].multiplier), vdupq_n_s32(tables[c].rounding),
                            vdupq_n_s32(tables[c].shift)};
        const int32x4_t first =
            high_words ? scaled_high(&by, low[c]) : scaled_any(rule, &by, low[c]);
        const int32x4_t last =
            high_words ? scaled_high(&by, high[c]) : scaled_any(rule, &by, high[c]);
        outputs[c] = vcombine_s16(vqmovn_s32(first), vqmovn_s32(last));
    }
}

/* What is alike in all channels of a piece; `high_words`: channels_take_high_words. */
typedef struct {
    dpl_rule rule;
    int high_words;
    int16_t low, high;
} plane_limits;

/* The same of other rules than DPL_Q32, by way of memory: what is passed on has copies of its own,
 * so that sums of that rule stay in registers. */
INLINED void finish_others(const plane_limits *q, const channel_table *tables, int channels,
                           const int32x4_t *low, const int32x4_t *high, int16x8_t *outputs) {
    int32x4_t first[MOST_CHANNELS], last[MOST_CHANNELS];
    int16x8_t made[MOST_CHANNELS];
    UNROLLED for (int c = 0; c < channels; c++) {
        first[c] = low[c];
        last[c] = high[c];
    }
    finish_any(q->rule, q->high_words, tables, channels, first, last, made);
    UNROLLED for (int c = 0; c < channels; c++) {
        outputs[c] = made[c];
    }
}

/* `channels`: a constant. */
INLINED void finish_sums(const plane_limits *q, const channel_table *tables, int channels,
                         const int32x4_t *low, const int32x4_t *high, int16x8_t *outputs) {
    const int16x8_t least = vdupq_n_s16(q->low), most = vdupq_n_s16(q->high);
    if (q->rule == DPL_Q32) {
        const int64x2_t begin =
            vdupq_n_s64(tables->rounding * (INT64_C(1) << 32) + (INT64_C(1) << 31));
        UNROLLED for (int c = 0; c < channels; c++) {
            outputs[c] = finish_q32(tables + c, begin, low[c], high[c]);
        }
    } else {
        finish_others(q, tables, channels, low, high, outputs);
    }
    UNROLLED for (int c = 0; c < channels; c++) {
        outputs[c] = vminq_s16(vmaxq_s16(outputs[c], least), most);
    }
}

#endif
