/* A depthwise convolution of one tap: each channel's elements times its weight, plus its bias,
 * which is what a batch normalization of its own becomes. The body of a kernel of int8 or int16;
 * its file names `args` and `KERNEL`, LOAD and STORE, its BITS and `saturate`, and WORDS: 1 where
 * two channels are a word.
 *
 * A channel goes through a run of pixels before the next does, its constants in registers: two
 * elements take 9 cycles by the pipeline model of the Cortex-M7, whatever the number of channels. A
 * channel touches a line of the cache in every pixel, so that runs are as long as leaves these in
 * the cache for the next channel. Of a tall image they go down its columns. Bounds that ssat does
 * not have are given to the whole output at last. */
#include "dpl/cores.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/depthwise_turn.h"
#include "dpl/cortex_m/simd.h"

enum { RUN_PIXELS = 128 }; /* of which input and output are in 8 KiB of lines */

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

/* By the high-word rule alone. The loop loads the next two elements; the last two follow it. */
#if defined(__ARM_FEATURE_DSP)
#define SUMS                                                                                       \
    "smlabb %[s0], %[x0], %[weight], %[bias]\n"                                                    \
    "add %[from], %[from], %[step], lsl #1\n"                                                      \
    "smlabb %[s1], %[x1], %[weight], %[bias]\n "
#define OUTPUTS                                                                                    \
    "ssat %[s0], #" BITS ", %[s0]\n ssat %[s1], #" BITS ", %[s1]\n " STORE                         \
    " %[s0], [%[to]]\n " STORE " %[s1], [%[to], %[to_step]]\n"                                     \
    "add %[to], %[to], %[to_step], lsl #1\n"

static inline __attribute__((always_inline)) void scale_pairs(elements e) {
    const int32_t size = sizeof(element), step = e.step * size, to_step = e.to_step * size;
    int32_t pairs = e.count / 2, x0, x1, s0, s1;
    if (pairs > 0) {
        __asm__ volatile(LOAD " %[x0], [%[from]]\n " LOAD " %[x1], [%[from], %[step]]\n"
                              "subs %[pairs], %[pairs], #1\n beq 2f\n"
                              "1:\n" SUMS LOAD " %[x0], [%[from]]\n"
                              "smmlar %[s0], %[s0], %[m], %[zero]\n " LOAD
                              " %[x1], [%[from], %[step]]\n"
                              "smmlar %[s1], %[s1], %[m], %[zero]\n"
                              "subs %[pairs], %[pairs], #1\n" OUTPUTS "bne 1b\n"
                              "2:\n" SUMS "smmlar %[s0], %[s0], %[m], %[zero]\n"
                              "smmlar %[s1], %[s1], %[m], %[zero]\n" OUTPUTS
                         : [x0] "=&r"(x0), [x1] "=&r"(x1), [s0] "=&r"(s0), [s1] "=&r"(s1),
                           [from] "+r"(e.from), [to] "+r"(e.to), [pairs] "+r"(pairs)
                         : [weight] "r"(e.weight), [bias] "r"(e.bias), [m] "r"(e.multiplier),
                           [zero] "r"(e.zero), [step] "r"(step), [to_step] "r"(to_step)
                         : "cc", "memory");
    }
    if (e.count & 1) {
        *e.to = (element)saturate(scaled(&e, *e.from));
    }
}
#else
static void scale_pairs(elements e) {
    for (; e.count > 0; e.count--, e.from += e.step, e.to += e.to_step) {
        *e.to = (element)saturate(scaled(&e, *e.from));
    }
}
#endif

static void scale_any(const dpl_requant *q, const elements *e, int32_t channel) {
    const element *from = e->from;
    element *to = e->to;
    for (int32_t n = e->count; n > 0; n--, from += e->step, to += e->to_step) {
        *to = (element)dpl_requantize(q, *from * e->weight + e->bias, channel);
    }
}

/* Bounds that ssat does not have, or another rule. */
static __attribute__((noinline)) void scale_elements(const dpl_requant *q, const elements *e,
                                                     int32_t channel) {
    if (q->rule == DPL_Q32) {
        scale_between(e, q->low, q->high);
    } else {
        scale_any(q, e, channel);
    }
}

/* Whether rows follow one another like pixels. */
static int is_one_row(const tensor *t) {
    return t->ring_height == 0 && t->row_pitch == t->width * t->pixel_pitch;
}

static inline elements elements_of(const args *a, const element *from, element *to, int32_t count,
                                   int later) {
    const dpl_requant *q = &a->requant;
    return (elements){.from = from,
                      .to = to,
                      .count = count,
                      .step = a->window.stride_width * a->input.pixel_pitch,
                      .to_step = a->output.pixel_pitch,
                      .zero = later ? addend_below(q) : q->rounding[0]};
}

static inline void set_channel(const args *a, int32_t c, elements *e) {
    e->weight = a->weights[c];
    e->bias = a->bias[c];
    e->multiplier = a->requant.multiplier[c * a->requant.channel_step];
}

/* All channels of so many pixels, one behind the other, by the high-word rule; bounds that ssat
 * does not have are those of the whole output. What begins a channel takes as long as some
 * elements, so that nothing of it is decided there. */
static void scale_channels(const args *a, elements e) {
    const int32_t channels = a->output.channels, multiplier = channels / a->input.channels;
    for (int32_t c = 0, left = multiplier; c < channels; c++, e.to++) {
        set_channel(a, c, &e);
        scale_pairs(e);
        if (--left == 0) {
            left = multiplier;
            e.from++;
        }
    }
}

/* `later`: whether outputs are bounded when all are there. */
static void scale_run(const args *a, const element *from, element *to, int32_t count, int later) {
    const dpl_requant *q = &a->requant;
    const int32_t channels = a->output.channels, multiplier = channels / a->input.channels;
    elements e = elements_of(a, from, to, count, later);
    if (q->rule == DPL_Q32 && (later || (q->low == LOWEST && q->high == HIGHEST))) {
        scale_channels(a, e);
        return;
    }
    for (int32_t c = 0; c < channels; c++) {
        e.from = from + c / multiplier;
        e.to = to + c;
        set_channel(a, c, &e);
        scale_elements(q, &e, c);
    }
}

#if WORDS
#include "dpl/cortex_m/scale_words.h"
#else
#define are_words(A) 0
#define scale_words scale_run
#endif

static int bounds_later(const args *a) {
    const dpl_requant *q = &a->requant;
    const int full = q->low == LOWEST && q->high == HIGHEST;
    return q->rule == DPL_Q32 && !full && !are_words(a);
}

static int are_one_row(const args *a) {
    const int alike = a->window.stride_height == 1 && a->window.stride_width == 1;
    return alike && is_one_row(&a->input) && is_one_row(&a->output);
}

/* Whether columns are longer runs of pixels than rows. */
static int is_tall(const args *a) {
    const int rings = a->input.ring_height > 0 || a->output.ring_height > 0;
    return !rings && !are_one_row(a) && a->output.height > a->output.width;
}

static void scale_rows(const args *a, int later) {
    const dpl_window *w = &a->window;
    const dpl_share share = dpl_core_share(a->output.height);
    const int32_t rows = are_one_row(a) ? share.end - share.begin : 1;
    const int32_t count = rows * a->output.width, step = w->stride_width * a->input.pixel_pitch;
    for (int32_t y = share.begin; y < share.end; y += rows) {
        const element *from = row_of(&a->input, y * w->stride_height);
        element *to = row_of(&a->output, y);
        for (int32_t x = 0; x < count; x += RUN_PIXELS) {
            const int32_t left = count - x, run = left < RUN_PIXELS ? left : RUN_PIXELS;
            scale_words(a, from + x * step, to + x * a->output.pixel_pitch, run, later);
        }
    }
}

void KERNEL(const args *a) {
    const int later = bounds_later(a);
    args own;
    copy_args(&own, a);
    if (is_tall(a)) {
        turn(&own);
    }
    scale_rows(&own, later);
    if (later) {
        bound_rows(&a->output, &a->requant);
    }
}
