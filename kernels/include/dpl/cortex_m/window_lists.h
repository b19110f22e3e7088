/* Where the taps of windows lie: a body. A file has `element`, GROUP, elements that are made at
 * once, and HALVES, 1 where taps at halves of words are read as the words that have their elements,
 * 0 where all taps are alike.
 *
 * Lists have the steps from each tap to the next. Which taps are at halves depends on where the
 * window begins, so there are two lists. Windows that reach as far have the same. */
#ifndef DPL_CORTEX_M_WINDOW_LISTS_H
#define DPL_CORTEX_M_WINDOW_LISTS_H

#include <stddef.h>

#include "dpl/cortex_m/blocking.h"
#include "dpl/window.h"

#define IS_ODD(AT) ((AT)&HALVES)

/* Of `count` taps those at halves of words come first: `odd` beside the first of them, -1 where
 * there are none. `even`: the others, without one that comes first. `first`: elements from the
 * window's first tap to the list's; steps in bytes, the last from the last tap to the first one of
 * the next GROUP. */
typedef struct {
    int32_t odd, even, first, count;
    int32_t steps[DPL_POOL_LIST_TAPS];
} tap_list;

/* Of windows with so many rows and columns of taps, that begin at a word and at a half of one. */
typedef struct {
    tap_list at_word, at_half;
    int32_t rows, columns;
} window_lists;

/* The places of those taps that are odd, or not, from `to` on. Returns how many. */
static int32_t place_taps(const dpl_taps *taps, int32_t half, int32_t odd, int32_t *to) {
    const int32_t wide = taps->x.end - taps->x.begin;
    dpl_row_walk rows = taps->rows;
    int32_t n = 0;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        int32_t at = rows.offset - taps->rows.offset;
        for (int32_t x = 0; x < wide; x++, at += taps->pitch) {
            if (IS_ODD(at + half) == odd) {
                to[n++] = at;
            }
        }
    }
    return n;
}

/* `half`: whether the window begins at a half of a word. */
static __attribute__((noinline)) void list_taps(const dpl_taps *taps, int32_t half,
                                                tap_list *list) {
    const int32_t size = (int32_t)sizeof(element), count = dpl_taps_count(taps);
    int32_t *steps = list->steps;
    const int32_t odd = HALVES ? place_taps(taps, half, 1, steps) : 0;
    place_taps(taps, half, 0, steps + odd);
    list->odd = odd - 1;
    list->even = odd > 0 ? count - odd : count - 1;
    list->first = steps[0];
    list->count = count;
    for (int32_t i = 0; i + 1 < count; i++) {
        steps[i] = size * (steps[i + 1] - steps[i]);
    }
    steps[count - 1] = size * (list->first + GROUP - steps[count - 1]);
}

/* The list of a window of these taps that begins at `from`. */
static inline const tap_list *list_of(window_lists *lists, const dpl_taps *taps,
                                      const element *from) {
    const int32_t half = IS_ODD((int32_t)((uintptr_t)from / sizeof(element)));
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
