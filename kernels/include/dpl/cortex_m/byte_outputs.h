/* Outputs of pairs of channels whose sums are bytes' products, by any rule. */
#ifndef DPL_CORTEX_M_BYTE_OUTPUTS_H
#define DPL_CORTEX_M_BYTE_OUTPUTS_H

#include "dpl/cortex_m/high_s8.h"

typedef struct {
    const dpl_requant *requant;
    const uint32_t *weights; /* packed pairs */
    int32_t channels;
    int32_t piece; /* words of a pair */
    int high;      /* by smmlar and a saturation, before bound_triple */
    int32_t zero;  /* which this is added to */
} channel_job;

/* `values`: of a window, a multiple of four. */
static inline channel_job channel_job_of(const dpl_requant *requant, const void *weights,
                                         int32_t channels, int32_t values) {
    return (channel_job){requant,
                         (const uint32_t *)weights,
                         channels,
                         piece_words(values / 4 * WORDS_OF_FOUR),
                         requant->rule == DPL_Q32,
                         addend_of(requant)};
}

/* By other rules: out of line, since it is long. */
static __attribute__((noinline)) int32_t other_output(const dpl_requant *q, int32_t sum,
                                                      int32_t c) {
    return dpl_requantize(q, sum, c);
}

/* Channel c of three pixels, the others `second` and `third` bytes from the one at `out`, which is
 * written last. */
static inline void finish_high(const channel_job *j, int32_t s0, int32_t s1, int32_t s2,
                               uint32_t multiplier, int8_t *out, int32_t second, int32_t third) {
    const int32_t m = (int32_t)multiplier;
    s2 = scale_high(s2, m, j->zero);
    s1 = scale_high(s1, m, j->zero);
    s0 = scale_high(s0, m, j->zero);
    out[third] = (int8_t)saturate8(s2);
    out[second] = (int8_t)saturate8(s1);
    *out = (int8_t)saturate8(s0);
}

static inline void finish_other(const channel_job *j, int32_t s0, int32_t s1, int32_t s2, int32_t c,
                                int8_t *out, int32_t second, int32_t third) {
    out[third] = (int8_t)other_output(j->requant, s2, c);
    out[second] = (int8_t)other_output(j->requant, s1, c);
    *out = (int8_t)other_output(j->requant, s0, c);
}

/* The bounds of all channels of three pixels. */
static inline void bound_triple(const channel_job *j, int8_t *out, int32_t second, int32_t third) {
    const three_pixels behind = {out + j->channels, second, third};
    bound_outputs(j->requant, &behind, 1, j->channels);
}

/* Channels c and c + 1, where there is one, of three pixels; `w`: the pair's piece. */
static inline void finish_pair(const channel_job *j, const sums_2x3 *s, const uint32_t *w,
                               int32_t c, int8_t *out, int32_t second, int32_t third) {
    const uint32_t *m = w + j->piece - MULTIPLIER_WORDS;
    out += c;
    if (!j->high) {
        finish_other(j, s->a0, s->a1, s->a2, c, out, second, third);
    } else {
        finish_high(j, s->a0, s->a1, s->a2, m[0], out, second, third);
    }
    if (c + 1 == j->channels) {
        return;
    }
    if (!j->high) {
        finish_other(j, s->b0, s->b1, s->b2, c + 1, out + 1, second, third);
    } else {
        finish_high(j, s->b0, s->b1, s->b2, m[1], out + 1, second, third);
    }
}

#endif
