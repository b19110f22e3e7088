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

/* Whether rows follow one another as pixels do. */
static int is_dense(const tensor *t) {
    return DPL_ROWS_FOLLOW(t, t->width * t->pixel_pitch);
}

/* This core's share of a part. Pixels without gaps are one run, otherwise each is; so are rows. */
static void fill_part(const part_args *p, const dpl_requant *q) {
    const dpl_part part = dpl_core_part(p->output.height, p->output.channels);
    const int32_t first = part.channels.begin, rows = part.rows.end - part.rows.begin;
    const int dense = is_dense(&p->input) && is_dense(&p->output);
    pixel_runs r = {p->input.pixel_pitch, p->output.pixel_pitch, part.channels.end - first,
                    dense ? rows * p->output.width : p->output.width};
    if (r.from_pitch == r.count && r.to_pitch == r.count) {
        r.count *= r.pixels;
        r.pixels = 1;
    }
    const int copied = same(q);
    for (int32_t y = part.rows.begin; y < part.rows.end; y += dense ? rows : 1) {
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
