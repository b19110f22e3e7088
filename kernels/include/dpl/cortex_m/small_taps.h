/* Where the taps of a pool of little work lie (dpl/cortex_m/small_pool.h). */
#ifndef DPL_CORTEX_M_SMALL_TAPS_H
#define DPL_CORTEX_M_SMALL_TAPS_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/window.h"

/* Elements from the first of `count` taps to each; they are in so many rows and columns. */
typedef struct {
    int32_t rows, columns;
    uint32_t count;
    int32_t at[DPL_POOL_LIST_TAPS];
} small_taps;

/* So many pixels, so many elements apart; `down`: one below the other. */
typedef struct {
    int32_t step, to_step, count;
    int down;
} small_pixels;

typedef struct {
    int32_t a, b, c, d;
} four_places;

/* The barrier has gcc load all four before it uses one: a word is an address two cycles later. */
static inline four_places four_of(const int32_t *at) {
    four_places p = {at[0], at[1], at[2], at[3]};
    __asm__ volatile("" : "+r"(p.a), "+r"(p.b), "+r"(p.c), "+r"(p.d));
    return p;
}

#endif
