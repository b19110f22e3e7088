/* Copy of int8 in words. */
#include "dpl/move.h"

#include "dpl/pulp/runs.h"
#include "dpl/pulp/spans.h"

typedef dpl_copy_s8_args args;

static void by_pixels(const args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        dpl_copy_pixels(dpl_span_start(&a->output, &p), dpl_span_start(&a->input, &p),
                        p.channels.end - p.channels.begin, count, a->output.pixel_pitch,
                        a->input.pixel_pitch);
        dpl_pixels_next(&p, &a->output, count);
    }
}

void dpl_copy_s8__xpulpv2(const dpl_copy_s8_args *a) {
    if (dpl_without_gaps(&a->input) && dpl_without_gaps(&a->output)) {
        const dpl_share part = dpl_share_elements(&a->output);
        dpl_copy_runs(a->output.data + part.begin, a->input.data + part.begin,
                      part.end - part.begin, 1, 0, 0);
        return;
    }
    by_pixels(a);
}
