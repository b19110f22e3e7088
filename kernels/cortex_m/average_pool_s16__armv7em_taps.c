/* AveragePool by the taps of each output, int16: no strip of sums. Where windows lie at every
 * pixel, a row's outputs with all their columns are one run; else each pixel is. */
#include "dpl/body/s16.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/mean_taps_s16.h"
#include "dpl/pool.h"

typedef dpl_pool_s16_args args;

/* By the rules i32 and shift taps are multiplied, by q32 their sum is; 0 where neither works. */
static means_of_eights *eights_of(const dpl_requant *q, int32_t taps, scaled *s) {
    s->mean = mean_of(q, taps, 1, 0);
    s->each = s->mean.multiplier;
    s->begin = s->mean.rounding;
    if (q->rule == DPL_Q32) {
        s->each = 1;
        s->begin = 0;
        return high_eights;
    }
    return s->each == (int16_t)s->each && (q->rule == DPL_I32 || q->rule == DPL_SHIFT)
               ? affine_eights
               : 0;
}

static inline int32_t sum_of(const element *x, const tap_list *taps) {
    const int32_t *step = taps->steps;
    int32_t sum = *(x += taps->first);
    for (int32_t left = taps->count - 1; left > 0; left--) {
        x += *step++ / 2;
        sum += *x;
    }
    return sum;
}

static inline element requantized(const dpl_requant *q, const mean *m, int32_t sum) {
    if (q->rule == DPL_I32 || q->rule == DPL_SHIFT) {
        return (element)dpl_clamp((sum * m->multiplier + m->rounding) >> m->shift, q->low, q->high);
    }
    return (element)dpl_requantize_mean(q, sum, m->entry);
}

/* Few outputs, or by any rule. */
static void one_by_one(const dpl_requant *q, const mean *m, window_lists *lists,
                       const dpl_taps *taps, output_runs r) {
    for (; r.count > 0; r.count--, r.from += r.from_step, r.to += r.to_step) {
        const tap_list *list = list_of(lists, taps, r.from);
        for (int32_t i = 0; i < r.length; i++) {
            r.to[i] = requantized(q, m, sum_of(r.from + i, list));
        }
    }
}

static void bound(const dpl_requant *q, output_runs r) {
    for (; r.count > 0; r.count--, r.to += r.to_step) {
        for (int32_t i = 0; i < r.length; i++) {
            r.to[i] = (element)dpl_clamp(r.to[i], q->low, q->high);
        }
    }
}

static void average_runs(const dpl_requant *q, window_lists *lists, const dpl_taps *taps,
                         const output_runs *r) {
    scaled s;
    means_of_eights *eights = eights_of(q, dpl_taps_count(taps), &s);
    if (!eights || r->length < GROUP) {
        one_by_one(q, &s.mean, lists, taps, *r);
        return;
    }
    eights(&s, lists, taps, r);
    if (q->low != LOWEST || q->high != HIGHEST) {
        bound(q, *r);
    }
}

/* The outputs whose windows have all their columns in the input. */
static dpl_span whole_windows(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t stride = w->stride_width, wide = (w->kernel_width - 1) * w->dilation_width;
    const int32_t most = a->input.width - 1 - wide + w->pads.left;
    dpl_span whole = {(w->pads.left + stride - 1) / stride, most < 0 ? 0 : most / stride + 1};
    whole.end = whole.end < a->output.width ? whole.end : a->output.width;
    return whole;
}

/* `lists`: of windows with all their columns, and of others. */
static void average_row(const args *a, window_lists *lists, dpl_span whole, int32_t y) {
    const int32_t channels = a->output.channels, pitch = a->output.pixel_pitch;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const int follow = step == channels && pitch == channels;
    dpl_taps taps = taps_of_row(&a->input, &a->window, y);
    element *to = row_of(&a->output, y);
    for (int32_t x = 0, count; x < a->output.width; x += count) {
        const int inside = x >= whole.begin && x < whole.end;
        taps_of_column(&taps, &a->input, &a->window, x);
        keep_lists(&lists[inside], &taps, a->input.ring_height == 0);
        count = inside ? whole.end - x : 1;
        const output_runs runs = {
            a->input.data + taps.rows.offset + taps.column, to + x * pitch,    step, pitch,
            follow ? count * channels : channels,           follow ? 1 : count};
        average_runs(&a->requant, &lists[inside], &taps, &runs);
    }
}

void dpl_average_pool_s16__armv7em_taps(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const dpl_span whole = whole_windows(a);
    window_lists lists[2];
    lists[0].rows = lists[1].rows = 0;
    for (int32_t y = rows.begin; y < rows.end; y++) {
        average_row(a, lists, whole, y);
    }
}
