/* Places of taps of pools of little work, and outputs that have the same: a body. A file has
 * `args`.
 */
#ifndef DPL_CORTEX_M_SMALL_PLACES_H
#define DPL_CORTEX_M_SMALL_PLACES_H

#include "dpl/cortex_m/small_taps.h"
#include "dpl/window.h"

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

static inline int32_t alike(dpl_span whole, int32_t at) {
    return at >= whole.begin && at < whole.end ? whole.end - at : 1;
}

#endif
