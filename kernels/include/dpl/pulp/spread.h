/* A channel's taps as four neighbouring windows meet the words of a row. */
#ifndef DPL_PULP_SPREAD_H
#define DPL_PULP_SPREAD_H

#include "dpl/pulp/bytes.h"
#include "dpl/pulp/planes.h"

typedef struct {
    int8_t *line; /* a row of taps as it is dilated, between zeros */
    void *room;   /* for what would take much of a stack */
    int8_t *taps; /* for each row and word, that word of each of the four windows */
} dpl_spread;

/* Bytes of the line, and of all. */
static inline int32_t dpl_line_bytes(const dpl_planes *p, const dpl_window *w) {
    return (4 * p->words + 3 * w->stride_width + 7) & ~7;
}

static inline int32_t dpl_spread_bytes(const dpl_planes *p, const dpl_window *w) {
    return dpl_line_bytes(p, w) + DPL_SPREAD_ROOM_BYTES + 16 * p->words * w->kernel_height;
}

static inline dpl_spread dpl_spread_in(int8_t *scratch, const dpl_planes *p, const dpl_window *w) {
    int8_t *room = scratch + dpl_line_bytes(p, w);
    dpl_spread s = {scratch, room, room + DPL_SPREAD_ROOM_BYTES};
    dpl_fill_bytes(s.line, 0, dpl_line_bytes(p, w));
    return s;
}

/* Rows of taps for four windows: of each row `words` times a word of each window. A word of window
 * i begins i strides further to the left in the line (spread_rows.S). */
typedef struct {
    const int8_t *taps;
    int8_t *first; /* in the line, where the first window's row begins */
    int8_t *to;
    int32_t width, dilation, stride, words, rows;
} dpl_spreading;

void dpl_spread_rows(const dpl_spreading *s);

static inline void dpl_spread_taps(const dpl_spread *s, const dpl_planes *p, const dpl_window *w,
                                   const int8_t *taps) {
    const int32_t stride = w->stride_width;
    const dpl_spreading all = {.taps = taps,
                               .first = s->line + 3 * stride,
                               .to = s->taps,
                               .width = w->kernel_width,
                               .dilation = w->dilation_width,
                               .stride = stride,
                               .words = p->words,
                               .rows = w->kernel_height};
    dpl_spread_rows(&all);
}

#endif
