/* Resize, nearest: an input pixel is a run, copied factor_width times, fewer at the ends of a part.
 */
#include "dpl/resize.h"

#include "dpl/pulp/runs.h"
#include "dpl/pulp/spans.h"

typedef dpl_resize_s8_args args;

/* count pixels from p on, in its row: each input pixel is a run from one place to many. */
static void span(const args *a, const dpl_pixels *p, int32_t count) {
    const int32_t length = p->channels.end - p->channels.begin, pitch = a->output.pixel_pitch;
    const int32_t column = p->x + a->left, first = column / a->factor_width;
    const int8_t *input = dpl_row_s8(&a->input, (p->y + a->top) / a->factor_height);
    int8_t *out = dpl_span_start(&a->output, p);
    int32_t copies = a->factor_width - (column - first * a->factor_width);
    input += first * a->input.pixel_pitch + p->channels.begin;
    for (; count > 0; copies = a->factor_width, input += a->input.pixel_pitch) {
        copies = copies < count ? copies : count;
        dpl_copy_runs(out, input, length, copies, pitch, 0);
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
