/* Means of nine taps, three times three alike, or six at a side, of outputs that lie apart: a body.
 * A file has `element`, and of its type the mnemonics LINE_LOAD and LINE_STORE, the bits of LIMIT,
 * SATURATE and HALVES. */
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/cortex_m/small_taps.h"

enum { NINE = 9 };

/* `tap`, `three`: elements from a tap to the next, from three to three; `step`, `to_step`: from
 * output to output, of which there are `count`. */
typedef struct {
    int32_t tap, three, step, to_step, count;
} nine_taps;

/* Rows of rings may lie elsewhere. */
static inline int are_threes(const small_taps *taps) {
    const int32_t *at = taps->at, two = 2 * at[1], three = at[3];
    return taps->count == NINE && at[2] == two && at[5] == three + two && at[6] == 2 * three &&
           at[8] == 2 * three + two;
}

static inline int is_affine_mean(const dpl_requant *q) {
    return q->rule == DPL_I32 || q->rule == DPL_SHIFT || (HALVES && q->rule == DPL_Q32);
}

#if defined(__ARM_FEATURE_DSP)

/* An output is finished while the next one's taps are summed, each two cycles behind its load: 27
 * instructions, 14 cycles, since no load stands beside another, whose bank may be the same. A shift
 * by register looks at the lowest byte alone; above it `left` counts outputs. */
#define TAKE(S) LINE_LOAD " %[" S "], [%[x]]\n"
#define TAKE_SECOND(S) LINE_LOAD " %[" S "], [%[x], %[tap]]\n"
#define TAKE_THIRD(S) LINE_LOAD " %[" S "], [%[x], %[tap], lsl #1]\n"
#define PLUS(TO, S) "add %[" TO "], %[s], %[" S "]\n"
#define MOVE(BY) "add %[x], %[x], %[" BY "]\n"
#define BY_SHIFT "mla %[f], %[f], %[m], %[r]\n"
#define DOWN_SHIFT "asr %[f], %[f], %[left]\n"
#define BY_HIGH "smmlar %[f], %[f], %[m], %[r]\n"
#define DOWN_HIGH ""
#define LIMITED "ssat %[f], #" LIMIT ", %[f]\n"
#define PUT LINE_STORE " %[f], [%[to]]\n"
/* Of nine taps, to f, which is finished beside them. */
#define SUM(BY, LESS, DOWN, LIMITED, PUT, ON)                                                      \
    BY TAKE("s") LESS TAKE_SECOND("t") TAKE_THIRD("u") MOVE("three") DOWN TAKE("v") PLUS("s", "t") \
        TAKE_SECOND("t") PLUS("s", "u") TAKE_THIRD("u") LIMITED PLUS("s", "v") MOVE("three")       \
            PLUS("s", "t") TAKE("v") PLUS("s", "u") TAKE_SECOND("t") PUT TAKE_THIRD("u")           \
                PLUS("s", "v") MOVE("back") PLUS("s", "t") ON PLUS("f", "u")
/* The same of six: 10 cycles. */
#define SUM_OF_SIX(BY, LESS, DOWN, LIMITED, PUT, ON)                                               \
    BY TAKE("s") LESS TAKE_SECOND("t") TAKE_THIRD("u") MOVE("three") DOWN TAKE("v") PLUS("s", "t") \
        TAKE_SECOND("t") PLUS("s", "u") LIMITED TAKE_THIRD("u") PLUS("s", "v") MOVE("back")        \
            PLUS("s", "t") PUT ON PLUS("f", "u")
#define TO_NEXT_OUTPUT "add %[to], %[to], %[to_step]\n"
#define SUM_LOOP(SUM, BY, DOWN)                                                                    \
    SUM("", "", "", "", "", "")                                                                    \
    "subs %[left], %[left], #256\n bmi 2f\n1:\n" SUM(                                              \
        BY, "subs %[left], %[left], #256\n", DOWN, LIMITED, PUT,                                   \
        TO_NEXT_OUTPUT) "bpl 1b\n2:\n" BY DOWN LIMITED PUT

#define MEANS_BY(SUM, BY, DOWN)                                                                    \
    __asm__ volatile(SUM_LOOP(SUM, BY, DOWN)                                                       \
                     : [x] "+r"(x), [to] "+r"(to), [f] "=&r"(f), [left] "+r"(left), [s] "=&r"(s),  \
                       [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v)                                    \
                     : [tap] "r"(tap), [three] "r"(three), [back] "r"(back),                       \
                       [to_step] "r"(to_step), [m] "r"(m->multiplier), [r] "r"(m->rounding)        \
                     : "cc", "memory")
#define NINE_MEANS(BY, DOWN)                                                                       \
    if (threes == 2) {                                                                             \
        MEANS_BY(SUM_OF_SIX, BY, DOWN);                                                            \
    } else {                                                                                       \
        MEANS_BY(SUM, BY, DOWN);                                                                   \
    }

/* Of two or three threes. */
static __attribute__((noinline)) void nine_means(const mean *m, const nine_taps *n, int32_t threes,
                                                 const element *x, element *to) {
    enum { SIZE = sizeof(element) };
    const int32_t tap = n->tap * SIZE, three = n->three * SIZE, to_step = n->to_step * SIZE;
    const int32_t back = n->step * SIZE - (threes - 1) * three;
    int32_t f, s, t, u, v, left = (n->count - 1) * 256 | m->shift;
#if HALVES
    if (m->requant->rule == DPL_Q32) {
        NINE_MEANS(BY_HIGH, DOWN_HIGH);
        return;
    }
#endif
    NINE_MEANS(BY_SHIFT, DOWN_SHIFT);
}

#else

static void nine_means(const mean *m, const nine_taps *n, int32_t threes, const element *x,
                       element *to) {
    for (int32_t i = 0; i < n->count; i++, x += n->step, to += n->to_step) {
        int32_t sum = 0;
        for (int32_t t = 0; t < 3 * threes; t++) {
            sum += x[t / 3 * n->three + t % 3 * n->tap];
        }
        *to = (element)SATURATE(HALVES && m->requant->rule == DPL_Q32
                                    ? scale_high(sum, m->multiplier, m->rounding)
                                    : (sum * m->multiplier + m->rounding) >> m->shift);
    }
}

#endif
