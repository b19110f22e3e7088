/* DepthwiseConv2d, int8, nine taps, pixel after pixel (dpl/cortex_m/indirect.h): small planes and
 * large strides. */
#include "dpl/body/s8.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/indirect.h"
#include "dpl/depthwise_conv2d.h"

typedef dpl_depthwise_conv2d_s8_args args;

#include "dpl/cortex_m/depthwise_turn.h"
#include "dpl/cortex_m/depthwise_windows.h"

typedef struct {
    const args *a;
    windows s;
    int high; /* by the high-word rule in assembly; bounds come behind */
} plan;

enum { GROUP = 2 * NINE + 2 * FOUR }; /* words of weights of four channels */

static void plan_call(plan *p, const args *a) {
    p->a = a;
    plan_windows(&p->s, a, a->input.channels);
#if defined(__ARM_FEATURE_DSP)
    p->high = a->requant.rule == DPL_Q32;
#else
    p->high = 0;
#endif
}

/* Four channels from c on, in C: by any rule. */
static void four_in_c(const plan *p, const pixel_run *r, const int32_t *list, int32_t c) {
    int32_t sums[FOUR] = {r->w[0], r->w[1], r->w[2], r->w[3]};
    const int16_t *w = (const int16_t *)(r->w + FOUR);
    for (int32_t t = 0; t < NINE; t++, w += FOUR) {
        const int8_t *x = tap_at(&p->s, r->at, list[t], c);
        sums[0] += x[0] * w[0];
        sums[1] += x[1] * w[2];
        sums[2] += x[2] * w[1];
        sums[3] += x[3] * w[3];
    }
    for (int32_t i = 0; i < FOUR; i++) {
        r->out[i] = (int8_t)dpl_requantize(&p->a->requant, sums[i], c + i);
    }
}

/* All channels of the pixel whose list it is. */
static void run_channels(const plan *p, pixel_run *r, const int32_t *list) {
    const int32_t channels = p->a->output.channels;
#if defined(__ARM_FEATURE_DSP)
    if (p->high) {
        r->end = r->at + channels;
        run_nine(r, list);
        return;
    }
#endif
    for (int32_t c = 0; c < channels; c += FOUR, r->at += FOUR, r->out += FOUR, r->w += GROUP) {
        four_in_c(p, r, list, c);
    }
}

static void run_row(plan *p, int32_t y) {
    const args *a = p->a;
    const int32_t *weights = (const int32_t *)(const void *)a->weights;
    const int32_t width = a->output.width, pitch = a->output.pixel_pitch;
    const int32_t zero = addend_below(&a->requant);
    int8_t *out = row_of(&a->output, y);
    const int all = find_rows(&p->s, y);
    for (int32_t x = 0; x < width; x++, out += pitch) {
        const int8_t *at;
        const int32_t *list = list_of(&p->s, all, x, &at);
        pixel_run r = {weights, at, 0, out, zero};
        run_channels(p, &r, list);
    }
}

void dpl_depthwise_conv2d_s8__armv7em_indirect(const args *a) {
    args turned;
    plan p;
    if (is_column(a)) {
        copy_args(&turned, a);
        turn(&turned);
        a = &turned;
    }
    plan_call(&p, a);
    const dpl_share share = dpl_core_share(a->output.height);
    for (int32_t y = share.begin; y < share.end; y++) {
        run_row(&p, y);
    }
    if (p.high) {
        bound_rows(&a->output, &a->requant);
    }
}
