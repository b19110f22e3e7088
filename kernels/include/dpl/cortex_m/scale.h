/* A depthwise convolution of one tap: each channel's elements times its weight, plus its bias,
 * which is what a batch normalization of its own becomes. The body of a kernel of int8 or int16;
 * its file names `args` and `KERNEL`, LOAD and STORE, its BITS and `saturate`.
 *
 * A channel goes through the image before the next does, its constants in registers: two elements
 * take 9 cycles by the pipeline model of the Cortex-M7, whatever the number of channels. */
#include "dpl/cores.h"
#include "dpl/cortex_m/simd.h"

/* Elements of a channel, `step` and `to_step` elements apart. */
typedef struct {
    const element *from;
    element *to;
    int32_t count, step, to_step;
    int32_t weight, bias, multiplier, zero;
} elements;

static inline int32_t scaled(const elements *e, element x) {
    return scale_high(x * e->weight + e->bias, e->multiplier, e->zero);
}

/* By the high-word rule, between any bounds. */
static void scale_between(const elements *e, int32_t low, int32_t high) {
    const element *from = e->from;
    element *to = e->to;
    for (int32_t n = e->count; n > 0; n--, from += e->step, to += e->to_step) {
        *to = (element)dpl_clamp(scaled(e, *from), low, high);
    }
}

/* By the high-word rule alone, all but the last two or three elements, which are not read. */
static void scale_pairs(elements *e) {
#if defined(__ARM_FEATURE_DSP)
    const int32_t size = sizeof(element), step = e->step * size, to_step = e->to_step * size;
    int32_t pairs = e->count / 2 - 1, x0, x1, s0, s1;
    if (pairs < 1) {
        return;
    }
    e->count -= 2 * pairs;
    __asm__ volatile(LOAD " %[x0], [%[from]]\n " LOAD " %[x1], [%[from], %[step]]\n"
                          "1:\n"
                          "smlabb %[s0], %[x0], %[weight], %[bias]\n"
                          "add %[from], %[from], %[step], lsl #1\n"
                          "smlabb %[s1], %[x1], %[weight], %[bias]\n " LOAD " %[x0], [%[from]]\n"
                          "smmlar %[s0], %[s0], %[m], %[zero]\n " LOAD
                          " %[x1], [%[from], %[step]]\n"
                          "smmlar %[s1], %[s1], %[m], %[zero]\n subs %[pairs], %[pairs], #1\n"
                          "ssat %[s0], #" BITS ", %[s0]\n ssat %[s1], #" BITS ", %[s1]\n " STORE
                          " %[s0], [%[to]]\n " STORE " %[s1], [%[to], %[to_step]]\n"
                          "add %[to], %[to], %[to_step], lsl #1\n"
                          "bne 1b\n"
                     : [x0] "=&r"(x0), [x1] "=&r"(x1), [s0] "=&r"(s0), [s1] "=&r"(s1),
                       [from] "+r"(e->from), [to] "+r"(e->to), [pairs] "+r"(pairs)
                     : [weight] "r"(e->weight), [bias] "r"(e->bias), [m] "r"(e->multiplier),
                       [zero] "r"(e->zero), [step] "r"(step), [to_step] "r"(to_step)
                     : "cc", "memory");
#else
    for (; e->count > 3; e->count--, e->from += e->step, e->to += e->to_step) {
        *e->to = (element)saturate(scaled(e, *e->from));
    }
#endif
}

static void scale_any(const dpl_requant *q, const elements *e, int32_t channel) {
    const element *from = e->from;
    element *to = e->to;
    for (int32_t n = e->count; n > 0; n--, from += e->step, to += e->to_step) {
        *to = (element)dpl_requantize(q, *from * e->weight + e->bias, channel);
    }
}

static void scale_elements(const dpl_requant *q, elements *e, int32_t channel) {
    if (q->rule != DPL_Q32) {
        scale_any(q, e, channel);
        return;
    }
    if (q->low == LOWEST && q->high == HIGHEST) {
        scale_pairs(e);
    }
    scale_between(e, q->low, q->high);
}

/* Whether rows follow one another like pixels. */
static int is_one_row(const tensor *t) {
    return t->ring_height == 0 && t->row_pitch == t->width * t->pixel_pitch;
}

void KERNEL(const args *a) {
    const dpl_requant *q = &a->requant;
    const dpl_window *w = &a->window;
    const int32_t multiplier = a->output.channels / a->input.channels;
    const dpl_share share = dpl_core_share(a->output.height);
    const int alike = w->stride_height == 1 && w->stride_width == 1;
    const int one = alike && is_one_row(&a->input) && is_one_row(&a->output);
    const int32_t rows = one ? share.end - share.begin : 1;
    for (int32_t y = share.begin; y < share.end; y += rows) {
        const element *from = row_of(&a->input, y * w->stride_height);
        element *to = row_of(&a->output, y);
        for (int32_t c = 0, left = multiplier; c < a->output.channels; c++, to++) {
            elements e = {from,
                          to,
                          rows * a->output.width,
                          w->stride_width * a->input.pixel_pitch,
                          a->output.pixel_pitch,
                          a->weights[c],
                          a->bias[c],
                          q->multiplier[c * q->channel_step],
                          q->rounding[0]};
            scale_elements(q, &e, c);
            if (--left == 0) {
                left = multiplier;
                from++;
            }
        }
    }
}
