/* Sums to outputs. By the high-word rule an output takes smmlar, ssat and strb, which issue beside
 * one another: six outputs in about ten cycles. */
#ifndef DPL_CORTEX_M_FINISH_H
#define DPL_CORTEX_M_FINISH_H

#include "dpl/cortex_m/block.h"
#include "dpl/cortex_m/four.h"

/* Where three pixels of an output channel lie. Some may be the same: column 0 is written last. */
typedef struct {
    int8_t *at[COLUMNS];
} three_pixels;

/* Channel c (and c + 1) of three pixels from sums a (and b); tables and outputs from c on. */
#if defined(__ARM_FEATURE_DSP)

static inline void finish_pair(sums_2x3 s, int32_t a, int32_t b, int32_t zero,
                               const three_pixels *out, int32_t c) {
    int8_t *o0 = out->at[0] + c, *o1 = out->at[1] + c, *o2 = out->at[2] + c;
    __asm__ volatile(
        "smmlar %[a2], %[a2], %[a], %[zero]\n"
        "smmlar %[b2], %[b2], %[b], %[zero]\n"
        "smmlar %[a1], %[a1], %[a], %[zero]\n ssat %[a2], #8, %[a2]\n"
        "smmlar %[b1], %[b1], %[b], %[zero]\n ssat %[b2], #8, %[b2]\n"
        "smmlar %[a0], %[a0], %[a], %[zero]\n ssat %[a1], #8, %[a1]\n"
        "smmlar %[b0], %[b0], %[b], %[zero]\n ssat %[b1], #8, %[b1]\n"
        "strb %[a2], [%[o2]]\n ssat %[a0], #8, %[a0]\n"
        "strb %[b2], [%[o2], #1]\n ssat %[b0], #8, %[b0]\n"
        "strb %[a1], [%[o1]]\n"
        "strb %[b1], [%[o1], #1]\n"
        "strb %[a0], [%[o0]]\n"
        "strb %[b0], [%[o0], #1]\n"
        : [a0] "+r"(s.a0), [a1] "+r"(s.a1), [a2] "+r"(s.a2), [b0] "+r"(s.b0), [b1] "+r"(s.b1),
          [b2] "+r"(s.b2)
        : [a] "r"(a), [b] "r"(b), [zero] "r"(zero), [o0] "r"(o0), [o1] "r"(o1), [o2] "r"(o2)
        : "memory");
}

#else

static inline void finish_pair(sums_2x3 s, int32_t a, int32_t b, int32_t zero,
                               const three_pixels *out, int32_t c) {
    const int32_t of_a[] = {s.a0, s.a1, s.a2}, of_b[] = {s.b0, s.b1, s.b2};
    for (int32_t i = COLUMNS - 1; i >= 0; i--) {
        out->at[i][c] = (int8_t)saturate8(scale_high(of_a[i], a, zero));
        out->at[i][c + 1] = (int8_t)saturate8(scale_high(of_b[i], b, zero));
    }
}

#endif

/* One channel by any rule. */
static inline void finish_channel(const dpl_requant *q, const int32_t *sums,
                                  const three_pixels *out, int32_t c) {
    for (int32_t i = COLUMNS - 1; i >= 0; i--) {
        out->at[i][c] = (int8_t)dpl_requantize(q, sums[i], c);
    }
}

/* What output channels need beside their columns: the same for all pixels. */
typedef struct {
    const uint32_t *weights; /* layout "pairs" */
    const int32_t *bias;
    const dpl_requant *requant;
    int32_t words;    /* of columns */
    int32_t channels; /* of the output */
} channel_job;

static inline sums_2x3 biases(const int32_t *bias, int32_t both) {
    const int32_t a = bias[0], b = both ? bias[1] : 0;
    return (sums_2x3){a, a, a, b, b, b};
}

/* Channels `first` (even) up to `end` of three pixels, by any rule; the partner of an odd last
 * channel is summed and dropped. */
static inline void any_channels(const channel_job *j, const uint32_t *columns, int32_t first,
                                int32_t end, const three_pixels *out) {
    const uint32_t *weights = j->weights + first / 2 * (j->words / COLUMNS);
    for (int32_t c = first; c < end; c += 2) {
        const int32_t both = c + 1 < j->channels;
        sums_2x3 s = biases(j->bias + c, both);
        weights = add_2x3(&s, weights, columns, columns + j->words);
        const int32_t a[] = {s.a0, s.a1, s.a2}, b[] = {s.b0, s.b1, s.b2};
        finish_channel(j->requant, a, out, c);
        if (both) {
            finish_channel(j->requant, b, out, c + 1);
        }
    }
}

/* The same where by_high_word and `end` is even. */
static inline void high_channels(const channel_job *j, const uint32_t *columns, int32_t first,
                                 int32_t end, const three_pixels *out) {
    const int32_t step = j->requant->channel_step, zero = j->requant->rounding[0];
    const int32_t *multiplier = j->requant->multiplier + first * step;
    const int32_t *bias = j->bias + first;
    const uint32_t *weights = j->weights + first / 2 * (j->words / COLUMNS);
    const uint32_t *behind = columns + j->words;
    for (int32_t c = first; c < end; c += 2, bias += 2, multiplier += 2 * step) {
        sums_2x3 s = biases(bias, 1);
        weights = add_2x3(&s, weights, columns, behind);
        finish_pair(s, multiplier[0], multiplier[step], zero, out, c);
    }
}

static __attribute__((noinline)) void channels_of_three(const channel_job *j,
                                                        const uint32_t *columns, int32_t first,
                                                        int32_t end, const three_pixels *out) {
    const int32_t even = end / 2 * 2;
    if (!by_high_word(j->requant)) {
        any_channels(j, columns, first, end, out);
        return;
    }
    high_channels(j, columns, first, even, out);
    if (even < end) {
        any_channels(j, columns, even, end, out);
    }
}

#endif
