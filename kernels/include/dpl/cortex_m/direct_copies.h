/* Copies of input rows as halfwords, with zero points beside them, which windows are read in
 * (direct.h). Included behind direct_s8.h or direct_s16.h, which say how a pixel is copied. */
#ifndef DPL_CORTEX_M_DIRECT_COPIES_H
#define DPL_CORTEX_M_DIRECT_COPIES_H

#include "dpl/cortex_m/direct_plan.h"

/* Four words an iteration, of which 1.5 cycles each are stores. */
static inline void put_zeros(const plan *p, int16_t *to, int32_t pixels) {
    const uint32_t zeros = (uint16_t)p->v->input_zero * 0x10001u;
    int32_t n = pixels * p->pixel;
    for (; n >= 8; n -= 8, to += 8) {
        store_word(to, zeros);
        store_word(to + 2, zeros);
        store_word(to + 4, zeros);
        store_word(to + 6, zeros);
    }
    for (; n > 0; n -= 2, to += 2) {
        store_word(to, zeros);
    }
}

/* Of so many pixels before another one those that copy_fours may copy, or copy_single_fours: what
 * they read beyond ends with that one. */
static inline int32_t looped_pixels(int32_t pixels, int32_t channels, int32_t pitch) {
    const int32_t fours = (channels + 3) / 4;
    const int32_t beyond = (fours == 1 ? pitch + 4 : 4 * fours + 4) - channels;
    const int32_t found = pixels + 1 - (beyond + pitch - 1) / pitch;
    return found > 0 ? found : 0;
}

/* So many pixels before another one, with some values of the next, over which that is copied. */
static inline void copy_before(const plan *p, const element *from, int16_t *to, int32_t pixels) {
    const int32_t channels = p->v->input.channels, pitch = p->v->input.pixel_pitch;
    const int32_t fours = (channels + 3) / 4, size = sizeof(element), half = sizeof(int16_t);
    const int by_words = size == half && pitch % 2 == 0; /* which cross no boundary */
    const int32_t looped = by_words ? 0 : looped_pixels(pixels, channels, pitch);
    if (looped > 0) {
        const copied_pixels each = {
            from, to, fours, looped, (pitch - 4 * fours) * size, (p->pixel - 4 * fours) * half};
        (fours == 1 ? copy_single_fours : fours <= FEW_FOURS ? copy_few_fours : copy_fours)(&each);
        from += looped * pitch;
        to += looped * p->pixel;
    }
    for (pixels -= looped; pixels > 0; pixels--, from += pitch, to += p->pixel) {
        copy_beyond(from, to, channels);
    }
}

/* Input row y, which may lie outside, with what its windows read beside it. */
static __attribute__((noinline)) void copy_row(const plan *p, int32_t y, int16_t *to) {
    const tensor *t = &p->v->input;
    const int32_t all = p->row / p->pixel, left = p->v->window.pads.left, pitch = t->pixel_pitch;
    const int32_t first = left < 0 ? 0 : least(left, all), last = least(t->width + left, all);
    if (y < 0 || y >= t->height || last <= first) {
        put_zeros(p, to, all);
        return;
    }
    const element *from = row_of(t, y) + (first - left) * pitch;
    put_zeros(p, to, first);
    put_zeros(p, to + last * p->pixel, all - last);
    to += first * p->pixel;
    if (pitch == p->pixel && pitch == t->channels) {
        copy_pixel(from, to, (last - first) * pitch);
        return;
    }
    const int32_t before = last - 1 - first;
    copy_before(p, from, to, before);
    copy_pixel(from + before * pitch, to + before * p->pixel, t->channels);
}

/* v then reads copies of so many rows, from a pixel of theirs on, without padding. */
static inline void read_copies(convolution *v, const plan *copy, int32_t down, int32_t right,
                               int32_t rows) {
    v->input.data = (element *)(void *)(copy->copies + down * copy->row + right * copy->pixel);
    v->input.height = rows - down;
    v->input.width = copy->row / copy->pixel - right;
    v->input.row_pitch = copy->row;
    v->input.pixel_pitch = copy->pixel;
    v->input.ring_height = 0;
    v->window.pads = (dpl_pads){0, 0, 0, 0};
    v->copied = 1;
}

#endif
