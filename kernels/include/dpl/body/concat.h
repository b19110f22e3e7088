/* Concat: each part brought to the output's scale by `runs`, which computes runs of neighbours by
 * an entry, or copied where it has it. */
#include "dpl/body/pixel_runs.h"
#include "dpl/body/run.h"
#include "dpl/cores.h"

/* Whether an entry changes no element. */
static int same(const dpl_requant *q) {
    int one = q->rule == DPL_SHIFT || (q->rule == DPL_I32 && *q->multiplier == 1);
    return one && *q->rounding == 0 && *q->shift == 0 && q->low == LOWEST && q->high == HIGHEST;
}

/* Whether rows of a part follow one another on either side and are taken as one. */
#ifndef ROWS_ARE_ONE
#define ROWS_ARE_ONE(P) 0
#endif

/* This core's share of a part. A row without gaps is one run, otherwise each pixel is. */
static void fill_part(const part_args *p, const dpl_requant *q) {
    const dpl_part part = dpl_core_part(p->output.height, p->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int contiguous = p->input.pixel_pitch == count && p->output.pixel_pitch == count;
    const int32_t joined = ROWS_ARE_ONE(p) ? part.rows.end - part.rows.begin : 1;
    const int32_t pixels = p->output.width * joined;
    const pixel_runs r = {p->input.pixel_pitch, p->output.pixel_pitch,
                          contiguous ? pixels * count : count, contiguous ? 1 : pixels};
    const int copied = same(q);
    for (int32_t y = part.rows.begin; y < part.rows.end; y += joined) {
        const element *input = row_of(&p->input, y) + first;
        element *out = row_of(&p->output, y) + first;
        if (copied) {
            copy_each(out, r.to_pitch, input, r.from_pitch, r.count, r.pixels);
        } else {
            runs(&r, q, input, out);
        }
    }
}

void KERNEL(const args *a) {
    const dpl_requant *q = &a->requant;
    for (int32_t i = 0, k = 0; i < a->count; i++, k += q->channel_step) {
        const dpl_requant entry = {q->multiplier + k, q->rounding + k, q->shift + k, 0,
                                   q->rule,           q->low,          q->high};
        fill_part(&a->parts[i], &entry);
    }
}
