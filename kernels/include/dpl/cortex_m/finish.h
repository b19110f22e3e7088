/* Output channels of strips of columns, by whatever rule. A kernel includes high_s8.h or high_s16.h
 * before it. */
#ifndef DPL_CORTEX_M_FINISH_H
#define DPL_CORTEX_M_FINISH_H

#include "dpl/cortex_m/block.h"
#include "dpl/cortex_m/single.h"

typedef struct {
    int32_t triples; /* a strip holds */
    int32_t part;    /* channels whose weights stay in the cache, even */
} strip_sizes;

/* Of windows of so many values, a multiple of four. */
static inline strip_sizes sizes_of(int32_t values, int32_t channels) {
    const int32_t triple = 2 * COLUMNS * values,
                  cached = values * channels <= DPL_CACHED_WEIGHT_BYTES;
    const int32_t triples = (cached ? DPL_SHORT_STRIP_BYTES : DPL_STRIP_BYTES) / triple;
    strip_sizes s = {triples < 1                       ? 1
                     : triples < DPL_MAX_STRIP_TRIPLES ? triples
                                                       : DPL_MAX_STRIP_TRIPLES,
                     channels};
    if (!cached && triples > 0) {
        s.part = DPL_CACHED_WEIGHT_BYTES / values / 2 * 2;
    }
    return s;
}

/* What output channels need beside their columns: the same for all pixels. */
typedef struct {
    const uint32_t *weights; /* packed pairs */
    const dpl_requant *requant;
    int32_t words;    /* of a triple of columns */
    int32_t channels; /* of the output */
    int32_t repeat;   /* after so many channels the tables of requantization begin again, or 0 */
} channel_job;

/* The entry of the tables. */
static inline int32_t entry_of(const channel_job *j, int32_t channel) {
    return j->repeat > 0 ? channel % j->repeat : channel;
}

/* The packed weights from an even channel on. */
static inline const uint32_t *weights_of(const channel_job *j, int32_t channel) {
    return j->weights + channel / 2 * piece_words(j->words);
}

/* The high-word rule, whatever the bounds. */
static inline void finish_high(high_rule rule, int32_t y0, int32_t y1, int32_t y2,
                               three_pixels *out) {
    element *const at = out->at;
    const int32_t second = out->second, third = out->third;
    out->at = at + 1;
    at[third] = high_output(rule, y2);
    at[second] = high_output(rule, y1);
    at[0] = high_output(rule, y0);
}

/* By other rules: out of line, since an image seldom needs them. */
static __attribute__((noinline)) void finish_other(const dpl_requant *q, int32_t y0, int32_t y1,
                                                   int32_t y2, int32_t channel, three_pixels *out) {
    out->at[out->third] = (element)dpl_requantize(q, y2, channel);
    out->at[out->second] = (element)dpl_requantize(q, y1, channel);
    *out->at++ = (element)dpl_requantize(q, y0, channel);
}

static inline void finish_channel(const dpl_requant *q, int32_t y0, int32_t y1, int32_t y2,
                                  int32_t channel, three_pixels *out) {
    if (q->rule == DPL_Q32) {
        finish_high(high_rule_of(q, channel), y0, y1, y2, out);
    } else {
        finish_other(q, y0, y1, y2, channel, out);
    }
}

/* What by_high_words leaves. */
static inline void finish_left(const dpl_requant *q, int32_t y0, int32_t y1, int32_t y2,
                               int32_t channel, three_pixels *out) {
    if (ALL_BOUNDS) {
        finish_other(q, y0, y1, y2, channel, out);
    } else {
        finish_channel(q, y0, y1, y2, channel, out);
    }
}

/* The first of the pair at `w` alone. */
static inline void single_of_strip(const channel_job *j, const uint32_t *w, const uint32_t *strip,
                                   int32_t triples, int32_t channel, three_pixels *out) {
    const dpl_requant *q = j->requant;
    const int32_t words = j->words, entry = entry_of(j, channel);
    const int is_high = q->rule == DPL_Q32;
    high_rule rule = {0};
    if (is_high) {
        rule = high_rule_of(q, entry);
    }
    for (int32_t i = 0; i < triples; i++, strip += words, out++) {
        const sums_2x3 s = sum_1x3(w, strip, words);
        if (is_high) {
            finish_high(rule, s.a0, s.a1, s.a2, out);
        } else {
            finish_other(q, s.a0, s.a1, s.a2, entry, out);
        }
    }
}

/* Pairs of channels from `first` up to `end`, both even, that by_high_words leaves. */
static inline void any_pairs(const channel_job *j, const uint32_t *columns, int32_t first,
                             int32_t end, three_pixels *out) {
    for (int32_t c = first; c < end; c += 2) {
        const sums_2x3 s = dpl_sum_2x3__armv7em(weights_of(j, c), columns, j->words);
        finish_left(j->requant, s.a0, s.a1, s.a2, entry_of(j, c), out);
        finish_left(j->requant, s.b0, s.b1, s.b2, entry_of(j, c + 1), out);
    }
}

/* Channels `first` (even) up to `end` of a strip; the pixels' addresses move on by them. */
static inline void channels_of_strip(const channel_job *j, const uint32_t *strip, int32_t triples,
                                     int32_t first, int32_t end, three_pixels *out) {
    const int32_t even = end - (end & 1);
    high_job high = {weights_of(j, first), weights_of(j, even), strip, j->words, 0, out, triples};
    if (even > first && !by_high_words(j->requant, &high)) {
        for (int32_t i = 0; i < triples; i++) {
            any_pairs(j, strip + i * j->words, first, even, out + i);
        }
    }
    if (even < end) {
        single_of_strip(j, weights_of(j, even), strip, triples, even, out);
    }
}

/* All channels, to which bound_outputs gives their bounds. */
static inline void channels_in_parts(const channel_job *j, const uint32_t *strip, int32_t triples,
                                     int32_t part, three_pixels *out) {
    for (int32_t first = 0; first < j->channels; first += part) {
        const int32_t end = first + part < j->channels ? first + part : j->channels;
        channels_of_strip(j, strip, triples, first, end, out);
    }
}

static inline void run_strip(const channel_job *j, const uint32_t *strip, int32_t triples,
                             int32_t part, three_pixels *out) {
    channels_in_parts(j, strip, triples, part, out);
    bound_outputs(j->requant, out, triples, j->channels);
}

#endif
