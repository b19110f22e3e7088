/* MaxPool. A window without taps inside the input gives the smallest output. */
#include "dpl/cores.h"
#include "dpl/ref/blocking.h"
#include "dpl/window.h"

enum { BLOCK = DPL_BLOCK_CHANNELS };

static inline int32_t larger(int32_t x, int32_t y) {
    return x > y ? x : y;
}

/* Four channels at a time: a load, a compare and a conditional move each, and 4 instructions to
 * the next tap shared by the four. */
static inline void max_block(const dpl_taps *taps, const element *restrict input,
                             int32_t *restrict best) {
    int32_t best0 = LOWEST, best1 = LOWEST, best2 = LOWEST, best3 = LOWEST;
    int32_t width = taps->x.end - taps->x.begin;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *restrict x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            best0 = larger(best0, x[0]);
            best1 = larger(best1, x[1]);
            best2 = larger(best2, x[2]);
            best3 = larger(best3, x[3]);
        }
    }
    best[0] = best0;
    best[1] = best1;
    best[2] = best2;
    best[3] = best3;
}

static inline int32_t max_channel(const dpl_taps *taps, const element *restrict input) {
    int32_t best = LOWEST;
    int32_t width = taps->x.end - taps->x.begin;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *restrict x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            best = larger(best, *x);
        }
    }
    return best;
}

static void pixel(const args *a, const dpl_taps *taps, dpl_share channels, element *restrict out) {
    int32_t low = a->requant.low, high = a->requant.high;
    int32_t c = channels.begin;
    for (; c + BLOCK <= channels.end; c += BLOCK) {
        int32_t best[BLOCK];
        max_block(taps, a->input.data + c, best);
        for (int32_t i = 0; i < BLOCK; i++) {
            out[c + i] = (element)dpl_clamp(best[i], low, high);
        }
    }
    for (; c < channels.end; c++) {
        out[c] = (element)dpl_clamp(max_channel(taps, a->input.data + c), low, high);
    }
}

#include "dpl/body/pool.h"
