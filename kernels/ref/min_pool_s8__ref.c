/* MinPool, int8, portable. A window without taps inside the input gives the largest output. */
#include "dpl/body/s8.h"
#include "dpl/cores.h"
#include "dpl/pool.h"
#include "dpl/window.h"

#define KERNEL dpl_min_pool_s8__ref
typedef dpl_pool_s8_args args;

static inline int32_t least(const dpl_taps *taps, const element *restrict input) {
    int32_t found = HIGHEST;
    int32_t width = taps->x.end - taps->x.begin;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *restrict x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            found = *x < found ? *x : found;
        }
    }
    return found;
}

static void pixel(const args *a, const dpl_taps *taps, dpl_share channels, element *restrict out) {
    for (int32_t c = channels.begin; c < channels.end; c++) {
        int32_t found = least(taps, a->input.data + c);
        out[c] = (element)dpl_clamp(found, a->requant.low, a->requant.high);
    }
}

#include "dpl/body/pool.h"
