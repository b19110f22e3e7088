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
enum { NEIGHBOURS = 8, NEIGHBOUR_PIXELS = 16 }; /* outputs of an element, fewer pixels of a run */

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

static inline int has_all_values(const dpl_requant *q) {
    return q->low == LOWEST && q->high == HIGHEST;
}

/* The high-word rule's multiplier and zero point of a channel by i32 or shift, which are that rule
 * where the multiplier has as many bits and what is added rounds half up; else, and of other rules,
 * 0. */
static int become_high_word(const dpl_requant *q, int32_t i, elements *e) {
    const int32_t shift = q->shift[i], rounding = q->rounding[i], up = 32 - shift;
    if ((q->rule != DPL_I32 && q->rule != DPL_SHIFT) || shift < 1 || shift > 31) {
        return 0;
    }
    const int32_t m = q->rule == DPL_SHIFT ? 1 : q->multiplier[i];
    e->multiplier = (int32_t)((uint32_t)m << up);
    e->zero = rounding >> shift;
    const uint32_t rest = (uint32_t)rounding - ((uint32_t)e->zero << shift);
    return e->multiplier >> up == m && rest == 1u << (shift - 1);
}

/* Bounds that ssat does not have, or another rule. */
static __attribute__((noinline)) void scale_elements(const dpl_requant *q, elements *e,
                                                     int32_t channel, int later) {
    if (q->rule != DPL_Q32 && !become_high_word(q, channel * q->channel_step, e)) {
        scale_any(q, e, channel);
    } else if (later || has_all_values(q)) {
        e->zero -= later ? q->low - LOWEST : 0;
        scale_pairs(*e);
    } else {
        scale_between(e, q->low, q->high);
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

/* Outputs of one element that follow one another: `pairs` of them, weights, biases and multipliers
 * as they do. */
typedef struct {
    const int8_t *weights;
    const int32_t *bias, *multiplier;
    int32_t zero, pairs;
} neighbours;

/* Two in 9 cycles: they become outputs while the next two are summed. */
#if defined(__ARM_FEATURE_DSP)
#define NEIGHBOUR_HIGH(S) "smmlar %[m" S "], %[s" S "], %[m" S "], %[zero]\n"
#define NEIGHBOUR_SSAT(S) "ssat %[m" S "], #" BITS ", %[m" S "]\n"
#define NEIGHBOUR_PUT(S) STORE " %[m" S "], [%[to]], #" BYTES "\n"
#define NEIGHBOUR_WEIGHT(S) "ldrsb %[w" S "], [%[w]], #1\n"
#define NEIGHBOUR_BIAS(S) "ldr %[s" S "], [%[b]], #4\n"
#define NEIGHBOUR_SUM(S) "smlabb %[s" S "], %[x], %[w" S "], %[s" S "]\n"
#define NEIGHBOUR_SCALE(S) "ldr %[m" S "], [%[m]], #4\n"
#endif

static __attribute__((noinline)) void scale_neighbours(const neighbours *n, int32_t x,
                                                       element *to) {
    const int8_t *w = n->weights;
    const int32_t *b = n->bias, *m = n->multiplier, zero = n->zero;
    int32_t pairs = n->pairs;
#if defined(__ARM_FEATURE_DSP)
    int32_t w0, w1, s0, s1, m0, m1;
    __asm__ volatile(
        NEIGHBOUR_WEIGHT("0") NEIGHBOUR_BIAS("0") NEIGHBOUR_WEIGHT("1") NEIGHBOUR_BIAS("1")
            NEIGHBOUR_SCALE("0") NEIGHBOUR_SCALE("1") NEIGHBOUR_SUM("0") NEIGHBOUR_SUM(
                "1") "subs %[pairs], %[pairs], #1\n beq 2f\n"
                     "1:\n" NEIGHBOUR_HIGH("0") NEIGHBOUR_WEIGHT("0") NEIGHBOUR_HIGH("1")
                         NEIGHBOUR_BIAS("0") NEIGHBOUR_WEIGHT("1") NEIGHBOUR_BIAS("1")
                             NEIGHBOUR_SSAT("0") "subs %[pairs], %[pairs], #1\n" NEIGHBOUR_SSAT("1")
                                 NEIGHBOUR_SUM("0") NEIGHBOUR_SUM("1") NEIGHBOUR_PUT("0")
                                     NEIGHBOUR_SCALE("0") NEIGHBOUR_PUT("1") NEIGHBOUR_SCALE(
                                         "1") "bne 1b\n"
                                              "2:\n" NEIGHBOUR_HIGH("0") NEIGHBOUR_HIGH("1")
                                                  NEIGHBOUR_SSAT("0") NEIGHBOUR_SSAT("1")
                                                      NEIGHBOUR_PUT("0") NEIGHBOUR_PUT("1")
        : [w] "+r"(w), [b] "+r"(b), [m] "+r"(m), [to] "+r"(to), [pairs] "+r"(pairs), [w0] "=&r"(w0),
          [w1] "=&r"(w1), [s0] "=&r"(s0), [s1] "=&r"(s1), [m0] "=&r"(m0), [m1] "=&r"(m1)
        : [x] "r"(x), [zero] "r"(zero)
        : "cc", "memory");
#else
    for (int32_t i = 0; i < 2 * pairs; i++) {
        to[i] = (element)saturate(scale_high(x * w[i] + b[i], m[i], zero));
    }
#endif
}

static inline element last_neighbour(const neighbours *n, int32_t x, int32_t i) {
    const int32_t sum = x * n->weights[i] + n->bias[i];
    return (element)saturate(scale_high(sum, n->multiplier[i], n->zero));
}

/* Many outputs of an element, of runs in which what begins a channel would take longer. */
static int are_neighbours(const args *a, int32_t count) {
    const int32_t multiplier = a->output.channels / a->input.channels;
    return multiplier >= NEIGHBOURS && count < NEIGHBOUR_PIXELS && a->requant.channel_step == 1;
}

/* Pixel after pixel, by the high-word rule. */
static void scale_pixels(const args *a, const elements *e) {
    const int32_t channels = a->input.channels, multiplier = a->output.channels / channels;
    const element *from = e->from;
    element *to = e->to;
    for (int32_t left = e->count; left > 0; left--, from += e->step, to += e->to_step) {
        neighbours n = {a->weights, a->bias, a->requant.multiplier, e->zero, multiplier / 2};
        for (int32_t c = 0; c < channels; c++) {
            scale_neighbours(&n, from[c], to + c * multiplier);
            if (multiplier & 1) {
                to[(c + 1) * multiplier - 1] = last_neighbour(&n, from[c], multiplier - 1);
            }
            n.weights += multiplier;
            n.bias += multiplier;
            n.multiplier += multiplier;
        }
    }
}

/* `later`: whether outputs are bounded when all are there. */
static void scale_run(const args *a, const element *from, element *to, int32_t count, int later) {
    const dpl_requant *q = &a->requant;
    const int32_t channels = a->output.channels, multiplier = channels / a->input.channels;
    elements e = elements_of(a, from, to, count, later);
    if (q->rule == DPL_Q32 && (later || has_all_values(q))) {
        if (are_neighbours(a, count)) {
            scale_pixels(a, &e);
        } else {
            scale_channels(a, e);
        }
        return;
    }
    for (int32_t c = 0; c < channels; c++) {
        e.from = from + c / multiplier;
        e.to = to + c;
        set_channel(a, c, &e);
        scale_elements(q, &e, c, later);
    }
}

#if WORDS
#include "dpl/cortex_m/scale_words.h"
#else
#define are_words(A) 0
#define scale_words scale_run
#endif

/* Whether every channel's rule is the high-word rule. */
static int are_high_words(const args *a) {
    const dpl_requant *q = &a->requant;
    const int32_t entries = q->channel_step ? a->output.channels : 1;
    elements e;
    for (int32_t i = 0; i < entries && q->rule != DPL_Q32; i++) {
        if (!become_high_word(q, i, &e)) {
            return 0;
        }
    }
    return 1;
}

static int bounds_later(const args *a) {
    return !has_all_values(&a->requant) && !are_words(a) && are_high_words(a);
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
