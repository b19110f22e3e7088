/* The function of an operator with one input of the output's shape whose elements depend on nothing
 * but themselves: `run(a, input, out, count)` computes count neighbours. */
#include "dpl/pulp/spans.h"

/* Pixels of a row; without gaps between them one run. */
static void span(const args *a, const dpl_pixels *p, int32_t count) {
    const int8_t *input = dpl_span_start(&a->input, p);
    int8_t *out = dpl_span_start(&a->output, p);
    const int32_t length = p->channels.end - p->channels.begin;
    if (a->input.pixel_pitch == length && a->output.pixel_pitch == length) {
        run(a, input, out, count * length);
        return;
    }
    for (; count > 0; count--) {
        run(a, input, out, length);
        input += a->input.pixel_pitch;
        out += a->output.pixel_pitch;
    }
}

void KERNEL(const args *a) {
    if (dpl_without_gaps(&a->input) && dpl_without_gaps(&a->output)) {
        const dpl_share part = dpl_share_elements(&a->output);
        run(a, a->input.data + part.begin, a->output.data + part.begin, part.end - part.begin);
        return;
    }
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, &p, count);
        dpl_pixels_next(&p, &a->output, count);
    }
}
