/* Average pools of wide pixels: a body. A file has `args`, KERNEL, `folded` and `sum_groups` of its
 * type, `four_means` and `fours_of`.
 *
 * All taps of an output pixel are summed at once, so that no column is summed that no window needs.
 * Neighbouring pixels of as many taps become means together. */
#include "dpl/cores.h"
#include "dpl/cortex_m/means.h"

/* Sums of pixels whose means are to be written, the first one's output, and the taps of each. */
typedef struct {
    folded *sums;
    element *to;
    int32_t count, taps;
} waiting;

static void write_means(const args *a, waiting *w) {
    const int32_t channels = a->output.channels, pitch = a->output.pixel_pitch;
    const int one_run = pitch == channels && w->count > 0;
    const mean_run pixels = {w->sums, w->to, 1, 1, one_run ? w->count * channels : channels};
    mean_run r = pixels;
    for (int32_t left = one_run ? 1 : w->count; left > 0; left--) {
        const mean m = mean_of(&a->requant, w->taps, 1, 0);
        means_of_run(&m, &r);
        r.from += channels;
        r.to += pitch;
    }
    w->to += w->count * pitch;
    w->count = 0;
}

/* The last group is one over those before. */
static void sum_pixel(const element *from, const tap_list *list, folded *sums, int32_t channels) {
    sum_groups(from, list, sums, channels / GROUP);
    if (channels % GROUP > 0) {
        sum_groups(from + channels - GROUP, list, sums + channels - GROUP, 1);
    }
}

static void average_row(const args *a, int32_t y) {
    const int32_t channels = a->output.channels, most = DPL_POOL_STRIP / channels;
    dpl_taps taps = taps_of_row(&a->input, &a->window, y);
    waiting w = {a->scratch, row_of(&a->output, y), 0, 0};
    tap_list list;
    list.count = 0;
    dpl_span listed = {-1, -1};
    for (int32_t x = 0; x < a->output.width; x++) {
        taps_of_column(&taps, &a->input, &a->window, x);
        const int32_t count = dpl_taps_count(&taps);
        if (w.count == most || count != w.taps) {
            write_means(a, &w);
            w.taps = count;
        }
        if (taps.x.begin != listed.begin || taps.x.end != listed.end) {
            list_taps(&taps, &list);
            listed = taps.x;
        }
        const element *from = a->input.data + taps.rows.offset + taps.column;
        sum_pixel(from, &list, w.sums + w.count * channels, channels);
        w.count++;
    }
    write_means(a, &w);
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    for (int32_t y = rows.begin; y < rows.end; y++) {
        average_row(a, y);
    }
}
