/* Windows of few taps, which lie so near that a loop has room for the place of each: a body. A file
 * has `element`. */
#ifndef DPL_CORTEX_M_NEAR_TAPS_H
#define DPL_CORTEX_M_NEAR_TAPS_H

#include "dpl/window.h"

enum { NEAR_TAPS = 4 };

/* `at`: elements from the first tap to the others; 0 where there are no more. */
typedef struct {
    int32_t count, at[NEAR_TAPS - 1];
} near_taps;

static near_taps near_of(const dpl_taps *taps) {
    const int32_t wide = taps->x.end - taps->x.begin;
    near_taps near = {dpl_taps_count(taps), {0, 0, 0}};
    dpl_row_walk rows = taps->rows;
    int32_t n = -1;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        int32_t at = rows.offset - taps->rows.offset;
        for (int32_t x = 0; x < wide; x++, at += taps->pitch) {
            if (n >= 0) {
                near.at[n] = at;
            }
            n++;
        }
    }
    return near;
}

#endif
