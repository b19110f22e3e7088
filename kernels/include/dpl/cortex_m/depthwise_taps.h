/* Weights of a depthwise convolution in the order of dpl/cortex_m/slide.h: the words of four output
 * channels take turns, so that a word of four bytes is extended at once. */
#ifndef DPL_CORTEX_M_DEPTHWISE_TAPS_H
#define DPL_CORTEX_M_DEPTHWISE_TAPS_H

#include "dpl/cortex_m/depthwise_plan.h"

/* The first of the four channels among which a channel's words lie: the last four cover channels
 * again, rather than some that are not there. */
static inline int32_t first_of_four(const plan *p, int32_t channel) {
    const int32_t first = channel & -LANES, last = p->a->output.channels - LANES;
    return first > last && last >= 0 ? last : first;
}

/* Words from those of the group's first channel, `begin`, to those of another. */
static inline int32_t taps_of(const plan *p, int32_t begin, int32_t channel) {
    const int32_t lane = channel - first_of_four(p, channel);
    return ((channel & -LANES) - begin) * p->weights + lane;
}

/* A tap of four channels, of those that there are. */
static inline uint32_t four_of_tap(const plan *p, const int8_t *at) {
    const int32_t channels = p->a->output.channels;
    if (channels >= LANES) {
        return load_word(at);
    }
    uint32_t word = 0;
    for (int32_t i = 0; i < channels; i++) {
        word |= (uint32_t)(uint8_t)at[i] << 8 * i;
    }
    return word;
}

/* The taps k and k + 1 of a row, zero where it has no such tap; where the next words go. */
static uint32_t *put_taps(const plan *p, const int8_t *row, int32_t k, uint32_t *to) {
    const int32_t step = p->tap_column, width = p->a->window.kernel_width;
    const uint32_t a = k >= 0 && k < width ? four_of_tap(p, row + k * step) : 0;
    const uint32_t b = k + 1 < width ? four_of_tap(p, row + (k + 1) * step) : 0;
    to[0] = low_halves(even_bytes(a), even_bytes(b));
    to[1] = low_halves(odd_bytes(a), odd_bytes(b));
    to[2] = high_halves(even_bytes(a), even_bytes(b));
    to[3] = high_halves(odd_bytes(a), odd_bytes(b));
    return to + LANES;
}

/* A row of taps. */
static uint32_t *pack_terms(const plan *p, const int8_t *row, uint32_t *to) {
    if (p->sliding && p->f.terms == 2) {
        return put_taps(p, row, 1, put_taps(p, row, 0, to));
    }
    const int32_t pairs = (p->a->window.kernel_width + 1) / 2;
    const int32_t end = 2 * (p->sliding ? p->f.terms : most(pairs, p->f.terms));
    for (int32_t k = 0; k < end; k += 2) {
        to = put_taps(p, row, k, to);
        if (p->sliding) {
            to = put_taps(p, row, k - 1, to);
        }
    }
    return to;
}

/* The weights of a group of output channels. */
static __attribute__((noinline)) void pack_weights(const plan *p, int32_t begin, int32_t end) {
    uint32_t *to = p->taps;
    for (int32_t c = begin; c < end; c += LANES) {
        const int8_t *row = p->a->weights + first_of_four(p, c);
        for (int32_t r = p->a->window.kernel_height; r > 0; r--, row += p->tap_row) {
            to = pack_terms(p, row, to);
        }
    }
}

#endif
