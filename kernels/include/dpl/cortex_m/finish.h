/* Output channels of three pixels, by whatever rule. */
#ifndef DPL_CORTEX_M_FINISH_H
#define DPL_CORTEX_M_FINISH_H

#include "dpl/cortex_m/block.h"
#include "dpl/cortex_m/four.h"

/* Where three pixels of an output channel lie. Some may be the same: column 0 is written last. */
typedef struct {
    int8_t *at[COLUMNS];
} three_pixels;

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
    const dpl_requant *requant;
    int32_t words;    /* of columns */
    int32_t channels; /* of the output */
} channel_job;

/* The stream from an even channel on. */
static inline const uint32_t *weights_of(const channel_job *j, int32_t channel) {
    return j->weights + channel / 2 * piece_words(j->words);
}

/* Channels `first` (even) up to `end` by any rule; the partner of an odd last one is summed and
 * dropped. */
static inline void any_channels(const channel_job *j, const uint32_t *columns, int32_t first,
                                int32_t end, const three_pixels *out) {
    for (int32_t c = first; c < end; c += 2) {
        const sums_2x3 s = sum_2x3(weights_of(j, c), columns, columns + j->words);
        const int32_t a[] = {s.a0, s.a1, s.a2}, b[] = {s.b0, s.b1, s.b2};
        finish_channel(j->requant, a, out, c);
        if (c + 1 < j->channels) {
            finish_channel(j->requant, b, out, c + 1);
        }
    }
}

static inline void channels_of_three(const channel_job *j, const uint32_t *columns, int32_t first,
                                     int32_t end, const three_pixels *out) {
    int32_t done = first;
    if (by_high_word(j->requant) && end - first > 1) {
        done = end - (end & 1);
        high_pairs(weights_of(j, first), weights_of(j, done), columns, columns + j->words,
                   j->requant->rounding[0], out->at[0] + first, out->at[1] + first,
                   out->at[2] + first);
    }
    any_channels(j, columns, done, end, out);
}

#endif
