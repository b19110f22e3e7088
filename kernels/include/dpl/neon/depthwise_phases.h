/* Depthwise convolution, dilated along columns at stride 1: as many that are not dilated, each of
 * every so many-th row, where their sums take fewer loads: 3x3 in strips, long columns turned. */
#ifndef DPL_NEON_DEPTHWISE_PHASES_H
#define DPL_NEON_DEPTHWISE_PHASES_H

#include "dpl/neon/depthwise_tall.h"

/* A side of the layer: what its phases have rows of. */
typedef struct {
    int8_t *data;
    int32_t height, row_pitch;
} all_rows;

/* The layer, and how many phases it is taken as. */
typedef struct {
    all_rows from, to;
    int32_t top, dilation, count;
} row_phases;

static inline all_rows rows_of(const dpl_tensor_s8 *t) {
    const all_rows rows = {t->data, t->height, t->row_pitch};
    return rows;
}

/* Every `step`-th row from `first` on. */
static inline void take_rows(dpl_tensor_s8 *t, const all_rows *all, int32_t first, int32_t step) {
    t->data = all->data + first * all->row_pitch;
    t->height = first < all->height ? (all->height - first + step - 1) / step : 0;
    t->row_pitch = all->row_pitch * step;
}

static inline void take_phase(depthwise *d, const row_phases *p, int32_t phase) {
    const int32_t step = p->count, origin = phase - p->top;
    const int32_t first = (origin % step + step) % step;
    take_rows(&d->input, &p->from, first, step);
    take_rows(&d->output, &p->to, phase, step);
    d->window.pads.top = (first - origin) / step;
    d->window.dilation_height = p->dilation / step;
}

/* Whether the layer is taken as phases; if not, `d` is as it was. The same in
 * deployer/kernelset/neon/depthwise_turn.py. */
static inline int has_phases(depthwise *d, row_phases *p) {
    const dpl_window *w = &d->window;
    if (w->dilation_height == 1 || w->stride_height != 1 || has_ring(d)) {
        return 0;
    }
    p->from = rows_of(&d->input), p->to = rows_of(&d->output);
    p->top = w->pads.top;
    p->dilation = p->count = w->dilation_height;
    take_phase(d, p, 0);
    if (is_tall(d) || is_long(d)) {
        return 1;
    }
    p->count = 1;
    take_phase(d, p, 0);
    return 0;
}

/* Of a core. */
static inline int32_t phase_bytes(depthwise *d) {
    if (is_tall(d)) {
        const tall t = tall_of(d, 0);
        return tall_bytes(&t);
    }
    const int turned = turn_columns(d);
    const int32_t bytes = depthwise_bytes(d);
    if (turned) {
        turn(d);
    }
    return bytes;
}

/* A core's scratch has `least` bytes, if it does not need more. */
static inline void run_phase(depthwise *d, int32_t zero, void *scratch, int32_t least) {
    if (is_tall(d)) {
        run_tall(d, zero, scratch, least);
        return;
    }
    const int turned = turn_columns(d);
    run_depthwise(d, zero, scratch, least);
    if (turned) {
        turn(d);
    }
}

/* No core's scratch is where another one's of an earlier phase is. */
static __attribute__((noinline)) void run_each_phase(depthwise *d, const row_phases *p,
                                                     int32_t zero, void *scratch) {
    int32_t most = 0;
    for (int32_t i = 0; i < p->count; i++) {
        take_phase(d, p, i);
        const int32_t bytes = phase_bytes(d);
        most = bytes > most ? bytes : most;
    }
    for (int32_t i = 0; i < p->count; i++) {
        take_phase(d, p, i);
        run_phase(d, zero, scratch, most);
    }
}

/* `d` has tensors, window, requant and pieces; `scratch` is for all cores. */
static inline void run_phases(depthwise *d, int32_t zero, void *scratch) {
    row_phases p;
    d->group = group_of(d);
    join_rows(d);
    if (has_phases(d, &p)) {
        run_each_phase(d, &p, zero, scratch);
        return;
    }
    run_phase(d, zero, scratch, 0);
}

#endif
