/* Concat: parts copied in words, or brought to the output's scale four elements at a time. */
#include "dpl/concat.h"

#include "dpl/pulp/affine.h"
#include "dpl/pulp/runs.h"
#include "dpl/pulp/spans.h"

/* Whether an entry changes no element. */
static int same(const dpl_requant *q) {
    int one = q->rule == DPL_SHIFT || (q->rule == DPL_I32 && *q->multiplier == 1);
    return one && *q->rounding == 0 && *q->shift == 0 && q->low == INT8_MIN && q->high == INT8_MAX;
}

/* This core's share of a part. */
static void fill_part(const dpl_concat_part *part, const dpl_requant *q) {
    const dpl_tensor_s8 *from = &part->input, *to = &part->output;
    const int copied = same(q);
    dpl_pixels p = dpl_pixels_of(to);
    const int32_t length = p.channels.end - p.channels.begin;
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, to);
        const int8_t *input = dpl_span_start(from, &p);
        int8_t *out = dpl_span_start(to, &p);
        if (copied) {
            dpl_copy_pixels(out, input, length, count, to->pixel_pitch, from->pixel_pitch);
        } else {
            dpl_affine_pixels(q, input, from->pixel_pitch, out, to->pixel_pitch, length, count);
        }
        dpl_pixels_next(&p, to, count);
    }
}

void dpl_concat_s8__xpulpv2(const dpl_concat_s8_args *a) {
    const dpl_requant *q = &a->requant;
    for (int32_t i = 0, k = 0; i < a->count; i++, k += q->channel_step) {
        const dpl_requant entry = {q->multiplier + k, q->rounding + k, q->shift + k, 0,
                                   q->rule,           q->low,          q->high};
        fill_part(&a->parts[i], &entry);
    }
}
