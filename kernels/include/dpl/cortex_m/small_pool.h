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
