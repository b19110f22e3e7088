/* Pools of little work, pixel by pixel: a body. To plan a strip, or stretches of outputs, would
 * take longer than all outputs do. A file has `args`, KERNEL, `small_run`, which makes the outputs
 * of so many pixels of a row whose windows have the same taps, from the element of channel 0 of the
 * first tap on, and `make_plane`, which makes those of rows and columns of them, if `in_lines`. */
#include "dpl/cores.h"
#include "dpl/cortex_m/small_taps.h"
#include "dpl/cortex_m/whole_windows.h"

/* Of all windows with as many rows and columns of taps. */
static void place_taps(const dpl_taps *taps, small_taps *list) {
    dpl_row_walk rows = taps->rows;
    int32_t *to = list->at;
    list->rows = taps->y.end - taps->y.begin;
    list->columns = taps->x.end - taps->x.begin;
    for (int32_t y = list->rows; y > 0; y--, dpl_next_row(&rows)) {
        int32_t at = rows.offset - taps->rows.offset;
        for (int32_t x = list->columns; x > 0; x--, at += taps->pitch) {
            *to++ = at;
        }
    }
    list->count = (uint32_t)(to - list->at);
}

/* Rows of rings may lie elsewhere under each window. */
static int as_before(const args *a, const dpl_taps *taps, const small_taps *list) {
    return taps->y.end - taps->y.begin == list->rows &&
           taps->x.end - taps->x.begin == list->columns && a->input.ring_height == 0;
}

static inline int32_t alike(dpl_span whole, int32_t at) {
    return at >= whole.begin && at < whole.end ? whole.end - at : 1;
}

/* Rows and columns whose windows have as many taps, at once. */
static inline void make_planes(const args *a, dpl_span rows, dpl_span tall, dpl_span wide) {
    small_taps list;
    list.rows = -1;
    for (int32_t y = rows.begin, down; y < rows.end; y += down) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *to = row_of(&a->output, y);
        down = alike(tall, y);
        for (int32_t x = 0, across; x < a->output.width; x += across) {
            across = alike(wide, x);
            taps_of_column(&taps, &a->input, &a->window, x);
            place_taps(&taps, &list);
            make_plane(a, &list, down, across, a->input.data + taps.rows.offset + taps.column, to);
            to += across * a->output.pixel_pitch;
        }
    }
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    dpl_span tall = whole_rows(a);
    const dpl_span wide = whole_columns(a);
    small_taps list;
    list.rows = -1;
    tall.end = tall.end < rows.end ? tall.end : rows.end;
    if (in_lines(a)) {
        make_planes(a, (dpl_span){rows.begin, rows.end}, tall, wide);
        return;
    }
    for (int32_t y = rows.begin; y < rows.end; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *to = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width;) {
            const small_pixels run = {a->window.stride_width * a->input.pixel_pitch,
                                      a->output.pixel_pitch, alike(wide, x)};
            taps_of_column(&taps, &a->input, &a->window, x);
            if (!as_before(a, &taps, &list)) {
                place_taps(&taps, &list);
            }
            small_run(a, &list, &run, a->input.data + taps.rows.offset + taps.column, to);
            to += run.count * run.to_step;
            x += run.count;
        }
    }
}
