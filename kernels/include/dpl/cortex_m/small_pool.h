/* Pools of little work, pixel by pixel: a body. To plan a strip, or stretches of outputs, would
 * take longer than all outputs do. A file has `args`, KERNEL and `small_pixel`, which makes the
 * outputs of a pixel from the element of channel 0 of its first tap on. */
#include "dpl/cores.h"
#include "dpl/cortex_m/small_taps.h"

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

void KERNEL(const args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    small_taps list;
    list.rows = -1;
    for (int32_t y = rows.begin; y < rows.end; y++) {
        dpl_taps taps = taps_of_row(&a->input, &a->window, y);
        element *to = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++, to += a->output.pixel_pitch) {
            taps_of_column(&taps, &a->input, &a->window, x);
            if (!as_before(a, &taps, &list)) {
                place_taps(&taps, &list);
            }
            small_pixel(a, &list, a->input.data + taps.rows.offset + taps.column, to);
        }
    }
}
