/* Maximum pools of little work, or of columns of taps that windows share: a body. A file has
 * `args`, KERNEL and what extreme_columns.h needs. */
#include "dpl/cortex_m/extreme_columns.h"
#include "dpl/cortex_m/small_taps.h"

static inline int32_t better_of(int32_t x, int32_t y) {
    return BETTER(x, y) ? x : y;
}

/* In fours, then two and one, so that branches go the same way for every channel. */
static inline int32_t best_of_taps(const int32_t *at, uint32_t count, const element *x) {
    int32_t best = PADDING;
    for (uint32_t left = count / 4; left > 0; left--, at += 4) {
        const four_places p = four_of(at);
        best = better_of(best, better_of(better_of(x[p.a], x[p.b]), better_of(x[p.c], x[p.d])));
    }
    if (count & 2) {
        best = better_of(best, better_of(x[at[0]], x[at[1]]));
        at += 2;
    }
    return count & 1 ? better_of(best, x[*at]) : best;
}

/* Out of line, so that what the loop needs stays in registers: 16 cycles and 5 a tap. */
static __attribute__((noinline)) void small_pixel(const args *a, const small_taps *taps,
                                                  const element *from, element *to) {
    const int32_t low = a->requant.low, high = a->requant.high;
    const uint32_t count = taps->count;
    for (element *end = to + a->output.channels; to != end; to++, from++) {
        *to = (element)dpl_clamp(best_of_taps(taps->at, count, from), low, high);
    }
}

static inline void small_run(const args *a, const small_taps *taps, const small_pixels *r,
                             const element *from, element *to) {
    for (int32_t left = r->count; left > 0; left--, from += r->step, to += r->to_step) {
        small_pixel(a, taps, from, to);
    }
}

static inline int make_rows(const args *a, dpl_span rows, dpl_span tall, dpl_span wide) {
    (void)tall, (void)wide;
    if (!in_columns(a)) {
        return 0;
    }
    make_columns(a, rows.begin, rows.end);
    return 1;
}

#include "dpl/cortex_m/small_pool.h"
