/* Sums of eight positions to outputs of up to eight channels, channel by channel. */
#ifndef DPL_NEON_PLANES_OUTPUTS_H
#define DPL_NEON_PLANES_OUTPUTS_H

#include "dpl/neon/planes_sums.h"
#include "dpl/neon/rules.h"

/* Whether the rule is DPL_Q31 and every shift takes more than the low word of a product. */
static inline int channels_take_high_words(dpl_rule rule, const channel_table *tables,
                                           int32_t channels) {
    int32_t all = -1;
    if (rule != DPL_Q31) {
        return 0;
    }
    for (int32_t c = 0; c < channels; c++) {
        all &= tables[c].shift + 32; /* negative beyond a word */
    }
    return all < 0;
}

INLINED int32x4_t scaled_high(const factors *by, int32x4_t sums) {
    const int32x4_t shift = vaddq_s32(by->shift, vdupq_n_s32(31));
    return vaddq_s32(vrshlq_s32(doubled_high_words(sums, by->multiplier), shift), by->rounding);
}

/* Of channels the multiplier, behind the bias. `channels`: a constant. */
INLINED void take_multipliers(const channel_table *tables, int channels, int32x2_t *by) {
    UNROLLED for (int c = 0; c < channels; c++) {
        by[c] = vld1_s32(&tables[c].bias);
    }
}

/* Sums of eight positions of a channel by the rule DPL_Q32, in five cycles: twice the high words of
 * products in two, half of that, rounded and narrowed, in one. The zero point is added in 16 bits,
 * where sums that do not fit are beyond what int8 keeps; that of int16 is 0. */
INLINED int16x8_t finish_q32(int32x2_t by, int16x8_t zero, int32x4_t low, int32x4_t high) {
    const int16x4_t first = vqrshrn_n_s32(vqdmulhq_lane_s32(low, by, 1), 1);
    const int16x8_t all = vqrshrn_high_n_s32(first, vqdmulhq_lane_s32(high, by, 1), 1);
    return ELEMENT_BYTES == 1 ? vqaddq_s16(all, zero) : all;
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

/* What is alike in all channels of a piece; `high_words`: channels_take_high_words; `usual`: by
 * finish_q32. */
typedef struct {
    dpl_rule rule;
    int high_words, usual;
    plane_bounds within;
} plane_limits;

static inline plane_limits limits_of(const dpl_requant *q, const channel_table *tables,
                                     int32_t channels) {
    const plane_limits limits = {.rule = q->rule,
                                 .high_words = channels_take_high_words(q->rule, tables, channels),
                                 .usual = q->rule == DPL_Q32 &&
                                          (ELEMENT_BYTES == 1 || tables->rounding == 0),
                                 .within = {(int16_t)q->low, (int16_t)q->high}};
    return limits;
}

/* The same in other ways than finish_q32, by way of memory: what is passed on has copies of its
 * own, so that sums stay in registers otherwise. */
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

/* Outputs before they are limited. `channels`: a constant; `by`: their multipliers. */
INLINED void finish_sums_by(const plane_limits *q, const channel_table *tables, const int32x2_t *by,
                            int channels, const int32x4_t *low, const int32x4_t *high,
                            int16x8_t *outputs) {
    if (q->usual) {
        const int16x8_t zero = vdupq_n_s16((int16_t)tables->rounding);
        UNROLLED for (int c = 0; c < channels; c++) {
            outputs[c] = finish_q32(by[c], zero, low[c], high[c]);
        }
    } else {
        finish_others(q, tables, channels, low, high, outputs);
    }
}

/* The same where multipliers of many channels are loaded one by one. */
INLINED void finish_sums(const plane_limits *q, const channel_table *tables, int channels,
                         const int32x4_t *low, const int32x4_t *high, int16x8_t *outputs) {
    if (q->usual) {
        const int16x8_t zero = vdupq_n_s16((int16_t)tables->rounding);
        UNROLLED for (int c = 0; c < channels; c++) {
            outputs[c] = finish_q32(vld1_s32(&tables[c].bias), zero, low[c], high[c]);
        }
    } else {
        finish_others(q, tables, channels, low, high, outputs);
    }
}

#define MOST_TOGETHER 5 /* channels of which sixteen positions are made at once */

#ifdef __aarch64__
#include "dpl/neon/planes_twenty_a64.h"
#endif

/* Whether sixteen positions are: of more channels where registers suffice, by the usual rule. */
INLINED int together_of(const plane_limits *q, int channels) {
#if defined(__aarch64__) || !defined(__ARM_NEON)
    return channels <= PAIRED_CHANNELS || (channels <= MOST_TOGETHER && q->usual);
#else
    (void)q;
    return channels <= PAIRED_CHANNELS;
#endif
}

/* Sixteen positions of more than PAIRED_CHANNELS channels by the usual rule, before they are
 * limited: those of the last eight behind those of the first. */
INLINED void make_sixteen(const int8_t *cells, const uint16_t *at, int32_t count,
                          const int16_t *weights, const channel_table *tables, int channels,
                          int16x8_t *outputs) {
#ifdef __aarch64__
    make_twenty_a53(cells, at, count, weights, tables, channels, outputs);
#else
    const int16x8_t zero = vdupq_n_s16((int16_t)tables->rounding);
    for (int half = 0; half < 2; half++, cells += 2 * DPL_PLANE_PIXELS, outputs += channels) {
        int32x4_t low[MOST_CHANNELS], high[MOST_CHANNELS];
        sum_channels(cells, at, count, weights, tables, channels, low, high);
        for (int c = 0; c < channels; c++) {
            outputs[c] = finish_q32(vld1_s32(&tables[c].bias), zero, low[c], high[c]);
        }
    }
#endif
}

#endif
