/* Conv2d, int8, one group, any window: three windows of bytes at a time, not widened.
 *
 * Half the scratch of a triple of columns, and none at all where a window is a pixel of the input
 * (1x1 without padding, channels in fours); a product takes 0.75 cycles in place of 0.52
 * (byte_block.h), and the weights are read once for every three pixels. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/byte_windows.h"

#include "dpl/cortex_m/byte_block.h"
#include "dpl/cortex_m/four.h"

typedef struct {
    const dpl_requant *requant;
    const uint32_t *weights; /* packed pairs */
    int32_t channels;
    int32_t piece; /* words of a pair */
    int high;      /* by smmlar and a saturation alone, */
    int32_t zero;  /* which this is added to */
} channel_job;

static inline int8_t finished(const channel_job *j, int32_t sum, int32_t multiplier, int32_t c) {
    if (j->high) {
        return (int8_t)saturate8(scale_high(sum, multiplier, j->zero));
    }
    if (j->requant->rule == DPL_Q32) { /* whose multipliers lie with the weights alone */
        const int32_t high = scale_high(sum, multiplier, j->zero);
        return (int8_t)dpl_clamp(high, j->requant->low, j->requant->high);
    }
    return (int8_t)dpl_requantize(j->requant, sum, c);
}

static inline void finish_channel(const channel_job *j, int32_t s0, int32_t s1, int32_t s2,
                                  int32_t multiplier, int32_t c, const byte_triple *t) {
    int8_t *const out = t->out + c;
    out[t->third] = finished(j, s2, multiplier, c);
    out[t->second] = finished(j, s1, multiplier, c);
    *out = finished(j, s0, multiplier, c);
}

/* All channels of three pixels. */
static void run_triple(const channel_job *j, const byte_triple *t, int32_t values) {
    const uint32_t *w = j->weights;
    for (int32_t c = 0; c < j->channels; c += 2, w += j->piece) {
        const sums_2x3 s = sum_bytes_2x3(w, t->at, t->pitch, values);
        const uint32_t *m = w + j->piece - MULTIPLIER_WORDS;
        finish_channel(j, s.a0, s.a1, s.a2, (int32_t)m[0], c, t);
        if (c + 1 < j->channels) {
            finish_channel(j, s.b0, s.b1, s.b2, (int32_t)m[1], c + 1, t);
        }
    }
}

void dpl_conv2d_s8__armv7em_bytes(const dpl_conv2d_s8_args *a) {
    const byte_windows v =
        byte_windows_of(&a->input, &a->output, &a->window, a->input_zero, a->scratch);
    const channel_job j = {&a->requant,
                           (const uint32_t *)(const void *)a->weights,
                           a->output.channels,
                           piece_words(v.padded / 4 * WORDS_OF_FOUR),
                           by_high_word(&a->requant),
                           a->requant.rounding[0]};
    byte_cursor c;
    if (a->output.width == 0 || a->output.height == 0) {
        return;
    }
    begin_byte_row(&v, &c, 0);
    for (int32_t left = a->output.height * a->output.width; left > 0;) {
        byte_triple t;
        left -= v.direct ? direct_triple(&v, &c, &t) : gathered_triple(&v, &c, left, &t);
        run_triple(&j, &t, v.padded);
    }
}
