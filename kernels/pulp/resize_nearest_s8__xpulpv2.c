/* Resize, nearest: an input pixel is a run, copied factor_width times, fewer or more at the
 * ends of a part. */
#include "dpl/nearest.h"
#include "dpl/resize.h"

#include "dpl/pulp/runs.h"
#include "dpl/pulp/spans.h"

typedef dpl_resize_s8_args args;

/* count pixels from p on, in its row: each input pixel is a run from one place to many. */
static void span(const args *a, const dpl_pixels *p, int32_t count) {
    const int32_t length = p->channels.end - p->channels.begin, pitch = a->output.pixel_pitch;
    const int32_t column = p->x + a->left + a->start_width;
    const int32_t row = dpl_copied(p->y + a->top + a->start_height, a->factor_height);
    const int8_t *input = dpl_row_s8(&a->input, dpl_inside(row, a->input.height));
    int8_t *out = dpl_span_start(&a->output, p);
    int32_t from = dpl_copied(column, a->factor_width);
    int32_t copies = (from + 1) * a->factor_width - column;
    input += p->channels.begin;
    for (; count > 0; copies = a->factor_width, from++) {
        const int32_t at = dpl_inside(from, a->input.width) * a->input.pixel_pitch;
        copies = copies < count ? copies : count;
        dpl_copy_runs(out, input + at, length, copies, pitch, 0);
        out += copies * pitch;
        count -= copies;
    }
}

void dpl_resize_nearest_s8__xpulpv2(const dpl_resize_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, &p, count);
        dpl_pixels_next(&p, &a->output, count);
    }
}
