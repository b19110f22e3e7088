/* Windows of few taps, which lie so near that a loop has room for the place of each: a body. A file
 * has `element`. */
#ifndef DPL_CORTEX_M_NEAR_TAPS_H
#define DPL_CORTEX_M_NEAR_TAPS_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/window.h"

enum { NEAR_TAPS = DPL_POOL_NEAR_TAPS };

/* `at`: elements from the first tap to the others, and to places behind the last one. */
typedef struct {
    int32_t count, at[NEAR_TAPS - 1];
} near_taps;

/* So many runs, rows of them, lines or calls, so far apart; `free`: in any order. */
typedef struct {
    int32_t from_step, to_step, count;
    int free;
} run_rows;

/* A call makes lines one after the other, which takes less than a call for each: those of all rows
 * where a row has but one, or where rows may be in any order and there are more of them. */
static inline void order_lines(run_rows *lines, run_rows *calls) {
    const run_rows rows = *calls;
    if (rows.count > lines->count && (rows.free || lines->count == 1)) {
        *calls = *lines;
        *lines = rows;
    }
}

static inline int is_near(const dpl_window *w) {
    const int32_t taps = w->kernel_height * w->kernel_width;
    return taps > 1 && taps <= NEAR_TAPS;
}

/* Of two to four taps. */
static inline near_taps near_of(const dpl_taps *taps) {
    const int32_t pitch = taps->pitch, count = dpl_taps_count(taps);
    const int32_t wide = taps->x.end - taps->x.begin, first = taps->rows.offset;
    const near_taps row = {count, {pitch, 2 * pitch, 3 * pitch}};
    if (wide == count) {
        return row;
    }
    dpl_row_walk rows = taps->rows;
    dpl_next_row(&rows);
    const int32_t second = rows.offset - first;
    dpl_next_row(&rows);
    const int32_t third = rows.offset - first;
    dpl_next_row(&rows);
    const near_taps column = {count, {second, third, rows.offset - first}};
    const near_taps square = {count, {pitch, second, second + pitch}};
    return wide > 1 ? square : column;
}

#endif
