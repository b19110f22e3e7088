/* Where the taps of windows lie, int16: lists of steps from each tap to the next.
 *
 * Taps at halves of words are read as the words that have their elements. Which those are depends
 * on where the window begins, so there are two lists. Windows that reach as far have the same. */
#ifndef DPL_CORTEX_M_TAPS_S16_H
#define DPL_CORTEX_M_TAPS_S16_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/window.h"

enum { GROUP = 8 };

/* Of `count` taps `odd` are at halves of words. Fours of these come first, then fours of the
 * others, the rest of these and of the others. `first`: elements from the window's first tap to the
 * list's; steps in bytes, the last from the last tap to the first one of the next GROUP. */
typedef struct {
    int32_t steps[DPL_POOL_LIST_TAPS];
    int32_t first, odd, count;
} tap_list;

/* Of windows with so many rows and columns of taps, that begin at a word and at a half of one. */
typedef struct {
    tap_list at_word, at_half;
    int32_t rows, columns;
} window_lists;

/* How many of the taps have an odd distance from the first. */
static int32_t odd_taps(const dpl_taps *taps) {
    const int32_t wide = taps->x.end - taps->x.begin, half = wide / 2;
    dpl_row_walk rows = taps->rows;
    int32_t odd = 0;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const int32_t at = rows.offset - taps->rows.offset;
        odd += !(taps->pitch & 1) ? (at & 1) * wide : at & 1 ? wide - half : half;
    }
    return odd;
}

/* `half`: whether the window begins at a half of a word. */
static void list_taps(const dpl_taps *taps, int32_t half, tap_list *list) {
    const int32_t wide = taps->x.end - taps->x.begin, count = dpl_taps_count(taps);
    const int32_t odd = half ? count - odd_taps(taps) : odd_taps(taps), even = count - odd;
    /* where the next one goes, and where that jumps to, behind the fours of both */
    int32_t next[2] = {odd & -4, 0}, stop[2] = {(odd & -4) + (even & -4), odd & -4};
    const int32_t rest[2] = {(even & -4) + odd, stop[0]};
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        int32_t at = rows.offset - taps->rows.offset;
        for (int32_t x = 0; x < wide; x++, at += taps->pitch) {
            const int32_t is_odd = (at + half) & 1;
            if (next[is_odd] == stop[is_odd]) {
                next[is_odd] = rest[is_odd];
                stop[is_odd] = -1;
            }
            list->steps[next[is_odd]++] = at;
        }
    }
    list->first = list->steps[0];
    list->odd = odd;
    list->count = count;
    for (int32_t i = 0; i + 1 < count; i++) {
        list->steps[i] = 2 * (list->steps[i + 1] - list->steps[i]);
    }
    list->steps[count - 1] = 2 * (list->first + GROUP - list->steps[count - 1]);
}

/* The list of a window of these taps that begins at `from`. */
static const tap_list *list_of(window_lists *lists, const dpl_taps *taps, const int16_t *from) {
    const int32_t half = (int32_t)((uintptr_t)from >> 1) & 1;
    tap_list *list = half ? &lists->at_half : &lists->at_word;
    if (list->count == 0) {
        list_taps(taps, half, list);
    }
    return list;
}

/* Keeps the lists of windows that reach as far; those of rings may wrap around elsewhere. */
static void keep_lists(window_lists *lists, const dpl_taps *taps, int keep) {
    const int32_t rows = taps->y.end - taps->y.begin, columns = taps->x.end - taps->x.begin;
    if (!keep || rows != lists->rows || columns != lists->columns) {
        lists->rows = rows;
        lists->columns = columns;
        lists->at_word.count = lists->at_half.count = 0;
    }
}

#endif
