/* A depthwise convolution of one tap, int16: a word of two neighbours goes through a run of pixels
 * before the next does. An odd number of channels takes two pixels for one of twice as many. A part
 * of dpl/cortex_m/scale.h. */
#ifndef DPL_CORTEX_M_SCALE_WORDS_H
#define DPL_CORTEX_M_SCALE_WORDS_H

enum { WORTH_PIXELS = 40 }; /* of an odd number of channels, where as many words are begun */

/* Words `step` bytes apart; weights are the halves of a word. */
typedef struct {
    const int16_t *from;
    int16_t *to;
    int32_t count, step;
    uint32_t weights;
    int32_t bias[2], multiplier[2];
} word_column;

#if defined(__ARM_FEATURE_DSP)

/* The first word's products, and its outputs between those of the second. */
#define FIRST_SUMS                                                                                 \
    "smlabb %[s0], %[x], %[w], %[b0]\n"                                                            \
    "smlatt %[s1], %[x], %[w], %[b1]\n ldr %[x], [%[from], %[step]]\n"
#define FIRST_HIGH "smmulr %[s0], %[s0], %[m0]\n"
#define SECOND_HIGH                                                                                \
    "add %[from], %[from], %[step], lsl #1\n"                                                      \
    "smmulr %[s1], %[s1], %[m1]\n"
#define STORED_FIRST(SATURATE)                                                                     \
    SATURATE("s0")                                                                                 \
    "smlabb %[t0], %[x], %[w], %[b0]\n" SATURATE("s1") "smlatt %[t1], %[x], %[w], %[b1]\n"         \
                                                       "smmulr %[t0], %[t0], %[m0]\n"              \
                                                       "pkhbt %[s0], %[s0], %[s1], lsl #16\n"      \
                                                       "smmulr %[t1], %[t1], %[m1]\n"              \
                                                       "str %[s0], [%[to]]\n"
/* `count` > 1. Two words in 14 cycles: the second one's outputs become those of the type beside
 * what the next words begin with. SATURATE is that of a register. */
#define SCALE_WORDS(NAME, SATURATE)                                                                \
    static __attribute__((noinline)) void NAME(const word_column *c) {                             \
        int32_t turns = c->count / 2 - 1, x, s0, s1, t0, t1;                                       \
        const int16_t *from = c->from;                                                             \
        int16_t *to = c->to;                                                                       \
        __asm__ volatile(                                                                          \
            "ldr %[x], [%[from]]\n" FIRST_SUMS FIRST_HIGH SECOND_HIGH STORED_FIRST(                \
                SATURATE) "cbz %[turns], 2f\n"                                                     \
                          "1:\n" SATURATE("t0") "ldr %[x], [%[from]]\n" SATURATE(                  \
                              "t1") "subs %[turns], %[turns], #1\n" FIRST_SUMS                     \
                                    "pkhbt %[t0], %[t0], %[t1], lsl #16\n" FIRST_HIGH              \
                                    "str %[t0], [%[to], %[step]]\n" SECOND_HIGH                    \
                                    "add %[to], %[to], %[step], lsl #1\n" STORED_FIRST(            \
                                        SATURATE) "bne 1b\n"                                       \
                                                  "2:\n" SATURATE("t0") SATURATE(                  \
                                                      "t1") "pkhbt %[t0], %[t0], %[t1], lsl #16\n" \
                                                            "str %[t0], [%[to], %[step]]\n"        \
            : [from] "+r"(from), [to] "+r"(to), [turns] "+l"(turns), [x] "=&r"(x), [s0] "=&r"(s0), \
              [s1] "=&r"(s1), [t0] "=&r"(t0), [t1] "=&r"(t1)                                       \
            : [step] "r"(c->step), [w] "r"(c->weights), [b0] "r"(c->bias[0]),                      \
              [b1] "r"(c->bias[1]), [m0] "r"(c->multiplier[0]), [m1] "r"(c->multiplier[1])         \
            : "cc", "memory");                                                                     \
    }

#define TO_INT16(X) "ssat %[" X "], #16, %[" X "]\n"
#define TO_POSITIVE(X) "usat %[" X "], #15, %[" X "]\n"
SCALE_WORDS(column_between, TO_INT16)
SCALE_WORDS(column_above_zero, TO_POSITIVE)

#else

static void column_above(const word_column *c, int32_t low) {
    for (int32_t n = 0; n < c->count / 2 * 2; n++) {
        for (int32_t i = 0; i < 2; i++) {
            const int32_t at = n * c->step / 2 + i, w = (int16_t)(c->weights >> 16 * i);
            const int32_t y = dpl_high_word(c->from[at] * w + c->bias[i], c->multiplier[i]);
            c->to[at] = (int16_t)dpl_clamp(y, low, INT16_MAX);
        }
    }
}

static void column_between(const word_column *c) {
    column_above(c, INT16_MIN);
}

static void column_above_zero(const word_column *c) {
    column_above(c, 0);
}

#endif

static inline int has_high_word(const dpl_requant *q, int32_t channel, elements *e) {
    const int32_t i = channel * q->channel_step;
    if (q->rule == DPL_Q32) {
        e->multiplier = q->multiplier[i];
        e->zero = q->rounding[0];
        return 1;
    }
    return become_high_word(q, i, e);
}

/* Two channels from element `at` of groups so large; 0 where their rule is another. */
static int scale_column(const args *a, const int16_t *from, int16_t *to, int32_t at, int32_t group,
                        int32_t count) {
    const dpl_requant *q = &a->requant;
    const int32_t channels = a->output.channels, first = at < channels ? at : at - channels;
    const int32_t second = first + 1 < channels ? first + 1 : 0;
    elements x, y;
    if (!has_high_word(q, first, &x) || !has_high_word(q, second, &y) || (x.zero | y.zero) != 0) {
        return 0;
    }
    const word_column c = {from + at,
                           to + at,
                           count,
                           group * (int32_t)sizeof *from,
                           low_halves((uint32_t)a->weights[first], (uint32_t)a->weights[second]),
                           {a->bias[first], a->bias[second]},
                           {x.multiplier, y.multiplier}};
    (q->low == 0 ? column_above_zero : column_between)(&c);
    return 1;
}

/* Whether elements of input and output follow one another. */
static int are_words(const args *a) {
    const dpl_requant *q = &a->requant;
    const int32_t channels = a->output.channels;
    const int follow = a->input.pixel_pitch == channels && a->output.pixel_pitch == channels;
    const int same = a->input.channels == channels && a->window.stride_width == 1;
    return follow && same && (q->low == 0 || q->low == INT16_MIN) && q->high == INT16_MAX;
}

/* How many pixels are scaled: of even groups an even number. */
static int32_t scale_groups(const args *a, const int16_t *from, int16_t *to, int32_t count) {
    const int32_t pixels = a->output.channels & 1 ? 2 : 1, groups = count / pixels / 2 * 2;
    const int32_t group = pixels * a->output.channels;
    if (groups == 0 || (pixels > 1 && count < WORTH_PIXELS) || !are_words(a)) {
        return 0;
    }
    for (int32_t at = 0; at < group; at += 2) {
        if (!scale_column(a, from, to, at, group, groups)) {
            return 0;
        }
    }
    return groups * pixels;
}

static void scale_words(const args *a, const int16_t *from, int16_t *to, int32_t count, int later) {
    const int32_t done = scale_groups(a, from, to, count), channels = a->output.channels;
    if (done < count) {
        scale_run(a, from + done * channels, to + done * channels, count - done, later);
    }
}

#endif
