/* Whole rows along each channel, magnified by two or four: what dpl/cortex_m/resize_linear.h has
 * `walk_channel` for. A file has LOAD and STORE. */
#ifndef DPL_CORTEX_M_RESIZE_WALKS_H
#define DPL_CORTEX_M_RESIZE_WALKS_H

#if defined(__ARM_FEATURE_DSP)

/* Outputs between an input and the next, two at a time, grow by twice the step between the two. A
 * shift by register looks at the lowest byte alone, so that turns are counted above it. */
#define TWO_OUTPUTS(FIRST, SECOND, UPPER, BLENDED, BLENDED_TOO, LOWER, GROWTH)                     \
    FIRST "asr %[t], %[sum], %[left]\n" SECOND "add %[sum], %[sum], %[step], lsl #1\n" STORE       \
          " %[t], [%[out]]\n" UPPER BLENDED "asr %[t], %[sum], %[left]\n" BLENDED_TOO GROWTH STORE \
          " %[t], [%[out], %[to]]\n" LOWER "add %[out], %[out], %[to], lsl #1\n"
/* Beside them the input behind the next one is blended. */
#define TWO_AND_INPUT(GROWTH)                                                                      \
    TWO_OUTPUTS(LOAD " %[p], [%[upper]]\n", LOAD " %[q], [%[lower]]\n",                            \
                "add %[upper], %[upper], %[from]\n", "smulbb %[p], %[p], %[rows]\n",               \
                "smlabt %[p], %[q], %[rows], %[p]\n", "add %[lower], %[lower], %[from]\n", GROWTH)
#define TWO_ALONE(GROWTH) TWO_OUTPUTS("", "", "", "", "", "", GROWTH)
#define ONE_STEP "add %[sum], %[sum], %[step]\n"
#define TWO_STEPS "add %[sum], %[sum], %[step], lsl #1\n"
#define SHIFTED "asr %[t], %[sum], %[left]\n"
#define PUT STORE " %[t], [%[out]]\n"
#define PUT_SECOND STORE " %[t], [%[out], %[to]]\n"
#define ONE_ON "add %[out], %[out], %[to]\n"
#define TWO_ON "add %[out], %[out], %[to], lsl #1\n"

/* Of each channel the outputs before its first input, those up to each next one, and those behind
 * the last: 9 cycles for two outputs, 13 for four, and some 40 a channel. `BEGIN`: what sums grow
 * by where they are between others. */
#define WALK(NAME, LEAD, BEGIN, TURN, LAST, TAIL)                                                  \
    static __attribute__((noinline)) void NAME(const rows *v, const walk *w, int32_t count,        \
                                               element *begin) {                                   \
        enum { SIZE = sizeof(element) };                                                           \
        const int32_t above = v->above, below = v->below, half = v->half, twice = 2 * w->factor;   \
        const int32_t step_in = w->in_step, from = SIZE * step_in, to = SIZE * w->out_step;        \
        const int32_t turns = (w->between - 2) * 256 | v->shift;                                   \
        const uint32_t rows = low_halves((uint32_t)above, (uint32_t)below);                        \
        for (int32_t c = 0; c < count; c++) {                                                      \
            const element *upper = v->upper + c, *lower = v->lower + c;                            \
            element *out = begin + c;                                                              \
            const int32_t first = *upper * above + *lower * below;                                 \
            upper += step_in, lower += step_in;                                                    \
            int32_t x = *upper * above + *lower * below, step = x - first;                         \
            int32_t sum = twice * first + half, left = turns, p, q, t;                             \
            upper += step_in, lower += step_in;                                                    \
            __asm__ volatile(LEAD BEGIN "cmp %[left], #0\n bmi 2f\n1:\n" TURN                      \
                                        "sub %[step], %[p], %[x]\n mov %[x], %[p]\n"               \
                                        "subs %[left], %[left], #256\n" BEGIN                      \
                                        "bpl 1b\n2:\n" LAST SHIFTED TAIL                           \
                             : [upper] "+r"(upper), [lower] "+r"(lower), [out] "+r"(out),          \
                               [x] "+r"(x), [step] "+r"(step), [sum] "+r"(sum), [left] "+r"(left), \
                               [p] "=&r"(p), [q] "=&r"(q), [t] "=&r"(t)                            \
                             : [rows] "r"(rows), [from] "r"(from), [to] "r"(to)                    \
                             : "cc", "memory");                                                    \
        }                                                                                          \
    }

WALK(walk_twos, "", "", TWO_AND_INPUT(TWO_STEPS), TWO_ALONE(TWO_STEPS), PUT PUT_SECOND)
WALK(walk_twos_between, SHIFTED PUT ONE_ON, ONE_STEP, TWO_AND_INPUT(ONE_STEP), TWO_ALONE(ONE_STEP),
     PUT)
WALK(walk_fours, "", "", TWO_AND_INPUT(TWO_STEPS) TWO_ALONE(TWO_STEPS),
     TWO_ALONE(TWO_STEPS) TWO_ALONE(TWO_STEPS), PUT PUT_SECOND TWO_ON PUT PUT_SECOND)
WALK(walk_fours_between, SHIFTED PUT PUT_SECOND TWO_ON, ONE_STEP,
     TWO_AND_INPUT(TWO_STEPS) TWO_ALONE(ONE_STEP), TWO_ALONE(TWO_STEPS) TWO_ALONE(ONE_STEP),
     PUT PUT_SECOND)

/* Rows of which no part was cut off. */
static inline int walks_fast(const walk *w) {
    const int32_t lead = w->half_pixel ? w->factor / 2 : 0;
    return (w->factor == 2 || w->factor == 4) && w->lead == lead && w->tail == w->factor - lead;
}

static inline void walk_fast(const rows *v, const walk *w, int32_t count, element *out) {
    if (w->factor == 2) {
        (w->half_pixel ? walk_twos_between : walk_twos)(v, w, count, out);
    } else {
        (w->half_pixel ? walk_fours_between : walk_fours)(v, w, count, out);
    }
}

#else

static inline int walks_fast(const walk *w) {
    (void)w;
    return 0;
}

static inline void walk_fast(const rows *v, const walk *w, int32_t count, element *out) {
    (void)v, (void)w, (void)count, (void)out;
}

#endif

#endif
