/* Pools of little work, pixel by pixel: a body. To plan a strip, or stretches of outputs, would
 * take longer than all outputs do. A file has `args`, KERNEL, `small_run`, which makes the outputs
 * of so many pixels of a row whose windows have the same taps, from the element of channel 0 of the
 * first tap on, and `make_rows`, which makes all rows at once or tells that it does not. */
#include "dpl/cores.h"
#include "dpl/cortex_m/small_places.h"
#include "dpl/cortex_m/whole_windows.h"

/* Rows of rings may lie elsewhere under each window. */
static int as_before(const args *a, const dpl_taps *taps, const small_taps *list) {
    return taps->y.end - taps->y.begin == list->rows &&
           taps->x.end - taps->x.begin == list->columns && a->input.ring_height == 0;
}

/* One pixel below the other, of outputs of one column without rings; else along a row. */
static small_pixels pixels_at(const args *a, dpl_span rows, dpl_span columns, int32_t y,
                              int32_t x) {
    const dpl_window *w = &a->window;
    if (a->output.width == 1 && a->input.ring_height == 0 && a->output.ring_height == 0) {
        return (small_pixels){w->stride_height * a->input.row_pitch, a->output.row_pitch,
                              alike(rows, y), 1};
    }
    return (small_pixels){w->stride_width * a->input.pixel_pitch, a->output.pixel_pitch,
                          alike(columns, x), 0};
}

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    dpl_span tall = whole_rows(a);
    const dpl_span wide = whole_columns(a);
    small_taps list;
    list.rows = -1;
    tall.end = tall.end < rows.end ? tall.end : rows.end;
    if (make_rows(a, (dpl_span){rows.begin, rows.end}, tall, wide)) {
        return;
    }
    for (int32_t y = rows.begin, down; y < rows.end; y += down) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *to = row_of(&a->output, y);
        down = 1;
        for (int32_t x = 0; x < a->output.width;) {
            const small_pixels run = pixels_at(a, tall, wide, y, x);
            taps_of_column(&taps, &a->input, &a->window, x);
            if (!as_before(a, &taps, &list)) {
                place_taps(&taps, &list);
            }
            small_run(a, &list, &run, a->input.data + taps.rows.offset + taps.column, to);
            to += run.count * run.to_step;
            down = run.down ? run.count : 1;
            x += run.down ? 1 : run.count;
        }
    }
}
