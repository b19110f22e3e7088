/* PRelu, four channels at a time by the rules i32 and shift. No restrict: the output may take the
 * input's place. */
#include "dpl/elementwise.h"

#include "dpl/pulp/affine.h"
#include "dpl/pulp/prelu.h"
#include "dpl/pulp/spans.h"

typedef dpl_prelu_s8_args args;

/* What all runs have in common that begin at a channel. */
static void set_job(const args *a, int32_t channel, dpl_prelu_job *j) {
    const dpl_requant *q = &a->requant;
    static const int32_t one = 1;
    const int32_t at = 1 + a->first + channel, i32 = q->rule == DPL_I32;
    j->zero = a->input_zero;
    j->multiplier = i32 ? *q->multiplier : 1;
    j->rounding = *q->rounding;
    j->shift = *q->shift;
    j->multipliers = i32 ? q->multiplier + at : &one;
    j->multiplier_step = i32 ? (int32_t)sizeof one : 0;
    j->roundings = q->rounding + at;
    j->shifts = q->shift + at;
    j->low = dpl_bytes_of(q->low);
    j->high = dpl_bytes_of(q->high);
}

/* Rules that the assembler does not know. */
static void one_by_one(const args *a, const dpl_prelu_job *j, const dpl_pixels *p) {
    const int32_t begin = p->channels.begin, length = p->channels.end - begin;
    for (int32_t c = 0; c < length; c++) {
        const int32_t x = j->from[c] - a->input_zero;
        const int32_t entry = x < 0 ? 1 + a->first + begin + c : 0;
        j->out[c] = (int8_t)dpl_requantize(&a->requant, x, entry);
    }
}

/* count pixels from p on, in its row. */
static void span(const args *a, dpl_prelu_job *j, const dpl_pixels *p, int32_t count) {
    const int32_t length = p->channels.end - p->channels.begin;
    j->from = dpl_span_start(&a->input, p);
    j->out = dpl_span_start(&a->output, p);
    j->from_gap = a->input.pixel_pitch - length;
    j->out_gap = a->output.pixel_pitch - length;
    j->runs = count;
    if (dpl_affine(&a->requant)) {
        dpl_prelu_runs(j);
        return;
    }
    for (; count > 0; count--) {
        one_by_one(a, j, p);
        j->from += a->input.pixel_pitch;
        j->out += a->output.pixel_pitch;
    }
}

void dpl_prelu_s8__xpulpv2(const dpl_prelu_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    const int32_t length = p.channels.end - p.channels.begin;
    dpl_prelu_job j; /* set one by one: zeros before would be a call of memset */
    j.words = length >> 2;
    j.rest = length & 3;
    set_job(a, p.channels.begin, &j);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, &j, &p, count);
        dpl_pixels_next(&p, &a->output, count);
    }
}
