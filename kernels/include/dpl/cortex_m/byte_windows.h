/* Windows of three output pixels as bytes, gathered. */
#ifndef DPL_CORTEX_M_BYTE_WINDOWS_H
#define DPL_CORTEX_M_BYTE_WINDOWS_H

#include "dpl/body/s8.h"
#include "dpl/cortex_m/pieces.h"
#include "dpl/cortex_m/values.h"

/* Windows `pitch` bytes apart. Outputs: the first pixel's, and bytes from there to the others;
 * window 0 is written last, so that one nobody wants may repeat an address. */
typedef struct {
    const int8_t *at;
    int32_t pitch;
    int8_t *out;
    int32_t second, third;
} byte_triple;

typedef struct {
    const tensor *input, *output;
    const dpl_window *window;
    int32_t zero;   /* what a tap outside reads */
    int32_t padded; /* values of a window, rounded up to fours */
    int8_t *values; /* of three windows, of one where there is one pixel */
} byte_windows;

static inline byte_windows byte_windows_of(const tensor *input, const tensor *output,
                                           const dpl_window *w, int32_t zero, void *scratch) {
    const int32_t taps = w->kernel_height * w->kernel_width, values = taps * input->channels;
    return (byte_windows){input, output, w, zero, (values + 3) / 4 * 4, scratch};
}

static inline int8_t *copy_row_of_taps(const byte_windows *v, const dpl_taps *taps,
                                       const int8_t *from, int8_t *to) {
    const int32_t depth = v->input->channels, count = taps->x.end - taps->x.begin;
    if (taps->pitch == depth) {
        return copy_values(to, from, count * depth);
    }
    for (int32_t x = 0; x < count; x++, from += taps->pitch) {
        to = copy_values(to, from, depth);
    }
    return to;
}

/* The values behind a window meet weights of zero. */
static inline void gather_window(const byte_windows *v, const dpl_taps *taps, int8_t *to) {
    const int32_t depth = v->input->channels, wide = v->window->kernel_width;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = 0; y < v->window->kernel_height; y++) {
        if (y < taps->y.begin || y >= taps->y.end || taps->x.begin == taps->x.end) {
            to = fill_values(to, v->zero, wide * depth);
        } else {
            const int8_t *from = v->input->data + rows.offset + taps->column;
            to = fill_values(to, v->zero, taps->x.begin * depth);
            to = copy_row_of_taps(v, taps, from, to);
            to = fill_values(to, v->zero, (wide - taps->x.end) * depth);
        }
        if (y >= taps->y.begin && y < taps->y.end) {
            dpl_next_row(&rows);
        }
    }
}

/* The walk over output pixels. */
typedef struct {
    int32_t y, x;
    dpl_taps taps;
    int8_t *out;
} byte_cursor;

static inline void begin_byte_row(const byte_windows *v, byte_cursor *c, int32_t y) {
    c->y = y;
    c->x = 0;
    c->taps = taps_of_row(v->input, v->window, y);
    c->out = row_of(v->output, y);
}

static inline void next_byte_pixels(const byte_windows *v, byte_cursor *c, int32_t count) {
    c->x += count;
    c->out += count * v->output->pixel_pitch;
    if (c->x == v->output->width && c->y + 1 < v->output->height) {
        begin_byte_row(v, c, c->y + 1);
    }
}

/* Up to three of the `left` pixels, from one row into the next; says how many. */
static inline int32_t gathered_triple(const byte_windows *v, byte_cursor *c, int32_t left,
                                      byte_triple *t) {
    const int32_t count = left < COLUMNS ? left : COLUMNS;
    int32_t distance[COLUMNS] = {0, 0, 0};
    t->out = c->out;
    for (int32_t i = 0; i < count; i++) {
        distance[i] = (int32_t)(c->out - t->out);
        taps_of_column(&c->taps, v->input, v->window, c->x);
        gather_window(v, &c->taps, v->values + i * v->padded);
        next_byte_pixels(v, c, 1);
    }
    t->at = v->values;
    t->pitch = count > 1 ? v->padded : 0;
    t->second = distance[1];
    t->third = count > 2 ? distance[2] : distance[1];
    return count;
}

#endif
