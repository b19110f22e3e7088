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

static void one_by_one(const args *a, dpl_share channels, const int8_t *input, int8_t *out) {
    for (int32_t c = channels.begin; c < channels.end; c++) {
        const int32_t x = input[c] - a->input_zero;
        const int32_t entry = x < 0 ? 1 + a->first + c : 0;
        out[c] = (int8_t)dpl_requantize(&a->requant, x, entry);
    }
}

/* count pixels from p on, in its row. */
static void span(const args *a, dpl_prelu_job *j, const dpl_pixels *p, int32_t count) {
    const int32_t length = p->channels.end - p->channels.begin, words = j->words;
    const int32_t from_pitch = a->input.pixel_pitch, out_pitch = a->output.pixel_pitch;
    const dpl_share rest = {4 * words, length};
    j->from = dpl_span_start(&a->input, p);
    j->out = dpl_span_start(&a->output, p);
    j->runs = words > 0 && rest.begin == rest.end ? count : 1;
    j->from_gap = from_pitch - 4 * words;
    j->out_gap = out_pitch - 4 * words;
    for (; count > 0; count -= j->runs, j->from += from_pitch, j->out += out_pitch) {
        if (words > 0) {
            dpl_prelu_runs(j);
        }
        if (rest.begin < rest.end) {
            const int32_t back = p->channels.begin;
            const dpl_share channels = {rest.begin + back, rest.end + back};
            one_by_one(a, channels, j->from - back, j->out - back);
        }
    }
}

void dpl_prelu_s8__xpulpv2(const dpl_prelu_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    const int32_t length = p.channels.end - p.channels.begin;
    dpl_prelu_job j; /* set one by one: zeros before would be a call of memset */
    j.words = dpl_affine(&a->requant) ? length >> 2 : 0;
    set_job(a, p.channels.begin, &j);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, &j, &p, count);
        dpl_pixels_next(&p, &a->output, count);
    }
}
