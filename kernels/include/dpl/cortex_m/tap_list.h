/* The taps of a window as a list of steps, from each to the next: a body for pools of wide pixels.
 * A file has `element` and GROUP, elements that are summed at once. */
#include "dpl/cortex_m/blocking.h"
#include "dpl/window.h"

/* In bytes; the last step leads from the last tap to the first one of the next group. */
typedef struct {
    int32_t steps[DPL_POOL_LIST_TAPS];
    int32_t count;
} tap_list;

/* Of taps that lie inside of the input, of which there are some. */
static void list_taps(const dpl_taps *taps, tap_list *list) {
    dpl_row_walk rows = taps->rows;
    const int32_t wide = taps->x.end - taps->x.begin;
    int32_t n = 0, last = rows.offset;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        for (int32_t x = 0, at = rows.offset; x < wide; x++, at += taps->pitch) {
            if (x + y > taps->y.begin) {
                list->steps[n++] = (at - last) * (int32_t)sizeof(element);
            }
            last = at;
        }
    }
    list->steps[n++] = (taps->rows.offset - last + GROUP) * (int32_t)sizeof(element);
    list->count = n;
}
