/* Which rows of a block are folded alike: a body for pools. A file has `args`. */
#include "dpl/cores.h"
#include "dpl/cortex_m/pool_blocks.h"

/* What the rows of a block from output row y on have in common: the same number of taps, `apart`
 * elements from one to the next. */
typedef struct {
    dpl_taps taps;
    int32_t y, count, apart;
} alike_rows;

static alike_rows alike_from(const args *a, const pool_block *b, int32_t r) {
    const dpl_window *w = &a->window;
    alike_rows rows = {taps_of_row(&a->input, w, b->y + r), b->y + r, 1,
                       w->stride_height * a->input.row_pitch};
    const int whole = a->input.pixel_pitch == b->channels && a->input.ring_height == 0;
    const int32_t taps = rows.taps.y.end - rows.taps.y.begin;
    if (whole && taps == w->kernel_height) {
        const int32_t reach = (w->kernel_height - 1) * w->dilation_height + 1 - w->pads.top;
        const int32_t last = (a->input.height - reach) / w->stride_height; /* with all its taps */
        rows.count = least_of(b->rows - r, last - b->y - r + 1);
    }
    return rows;
}
