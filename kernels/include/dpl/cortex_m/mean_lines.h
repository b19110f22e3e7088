/* Means of windows of two to four taps, output by output, whatever lies between them: a body. A
 * file has `element`, HALVES, and of its type the mnemonics LINE_LOAD and LINE_STORE, the BYTES of
 * an element and the bits of LIMIT. */
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/near_taps.h"
#include "dpl/cortex_m/simd.h"

/* Lines of `count` outputs, so many elements apart as their inputs, and so the lines. */
typedef struct {
    const element *from;
    element *to;
    int32_t step, to_step, count, next, to_next, lines;
} mean_lines;

#if defined(__ARM_FEATURE_DSP)

/* How sums become outputs, and what lies between taps and between outputs, in bytes. */
typedef struct {
    int32_t multiplier, rounding, left, at[NEAR_TAPS - 1], step, to_step;
} near_steps;

/* In a turn of the loop output b is finished, of the sum that the turn before left, output a is
 * made, and the sum of the next b: 5 to 7.5 cycles an output. No product is beside a store, and
 * ssat is the older of its pair. A load is not beside another, whose bank may be the same. Of NEXT
 * neighbours the first tap's load moves on, and other places count from there. */
#define TAKE(S, AT) LINE_LOAD " %[" S "], [%[x], %[" AT "]]\n"
#define PLUS(S, A, B) "add %[" S "], %[" A "], %[" B "]\n"
#define LIMITED(S) "ssat %[" S "], #" LIMIT ", %[" S "]\n"
#define LESS_TURNS "subs %[left], %[left], #512\n"
#define MUL_I32(S) "mla %[" S "], %[" S "], %[m], %[r]\n"
#define DOWN_I32(S) "asr %[" S "], %[" S "], %[left]\n"
#define MUL_HIGH(S) "smmlar %[" S "], %[" S "], %[m], %[r]\n"
#define DOWN_HIGH(S) ""
#define FIRST_NEXT(S) LINE_LOAD " %[" S "], [%[x]], #" BYTES "\n"
#define MOVED_NEXT ""
#define PUT_B_NEXT LINE_STORE " %[b], [%[out]], #" BYTES "\n"
#define PUT_A_NEXT LINE_STORE " %[a], [%[out]], #" BYTES "\n"
#define ONE_ON_NEXT ""
#define FIRST_APART(S) LINE_LOAD " %[" S "], [%[x]]\n"
#define MOVED_APART "add %[x], %[x], %[step]\n"
#define PUT_B_APART LINE_STORE " %[b], [%[out]]\n"
#define PUT_A_APART LINE_STORE " %[a], [%[out], %[to]]\n add %[out], %[out], %[to], lsl #1\n"
#define ONE_ON_APART "add %[out], %[out], %[to]\n"

#define TURN_OF_2(BY, TO)                                                                          \
    MUL_##BY("b") FIRST_##TO("a") LESS_TURNS TAKE("t", "second") DOWN_##BY("b")                    \
        MOVED_##TO LIMITED("b") FIRST_##TO("u") PLUS("a", "a", "t") TAKE("t", "second")            \
            MUL_##BY("a") MOVED_##TO PUT_B_##TO PLUS("b", "u", "t") DOWN_##BY("a") LIMITED("a")    \
                PUT_A_##TO
#define TURN_OF_3(BY, TO)                                                                          \
    MUL_##BY("b") FIRST_##TO("a") LESS_TURNS TAKE("t", "second") DOWN_##BY("b") TAKE("u", "third") \
        LIMITED("b") MOVED_##TO PLUS("a", "a", "t") FIRST_##TO("t") PLUS("a", "a", "u")            \
            TAKE("u", "second") MUL_##BY("a") PUT_B_##TO TAKE("b", "third") PLUS("t", "t", "u")    \
                DOWN_##BY("a") LIMITED("a") MOVED_##TO PLUS("b", "b", "t") PUT_A_##TO
#define TURN_OF_4(BY, TO)                                                                          \
    MUL_##BY("b") FIRST_##TO("a") LESS_TURNS TAKE("t", "second") DOWN_##BY("b") TAKE("u", "third") \
        LIMITED("b") PLUS("a", "a", "t") TAKE("t", "fourth") MOVED_##TO PLUS("a", "a", "u")        \
            PUT_B_##TO FIRST_##TO("b") PLUS("a", "a", "t") TAKE("t", "second") MUL_##BY("a")       \
                TAKE("u", "third") PLUS("b", "b", "t") TAKE("t", "fourth") DOWN_##BY("a")          \
                    PLUS("b", "b", "u") LIMITED("a") MOVED_##TO PLUS("b", "b", "t") PUT_A_##TO
#define SUM_OF_2(TO) FIRST_##TO("b") TAKE("t", "second") MOVED_##TO PLUS("b", "b", "t")
#define SUM_OF_3(TO)                                                                               \
    FIRST_##TO("b") TAKE("t", "second") TAKE("u", "third") MOVED_##TO PLUS("b", "b", "t")          \
        PLUS("b", "b", "u")
#define SUM_OF_4(TO)                                                                               \
    FIRST_##TO("b") TAKE("t", "second") TAKE("u", "third") TAKE("a", "fourth")                     \
        MOVED_##TO PLUS("b", "b", "t") PLUS("a", "a", "u") PLUS("b", "b", "a")
#define FINISHED_B(BY, TO) MUL_##BY("b") DOWN_##BY("b") LIMITED("b") PUT_B_##TO

#define LINE(NAME, COUNT, BY, TO)                                                                  \
    static __attribute__((noinline)) void NAME(const near_steps *n, const mean_lines *l) {         \
        const element *from = l->from;                                                             \
        element *to = l->to;                                                                       \
        for (int32_t i = l->lines; i > 0; i--, from += l->next, to += l->to_next) {                \
            const element *x = from;                                                               \
            element *out = to;                                                                     \
            int32_t left = n->left, a, b, t, u;                                                    \
            __asm__ volatile(                                                                      \
                SUM_OF_##COUNT(TO) "cmp %[left], #0\n blt 2f\n"                                    \
                                   "1:\n" TURN_OF_##COUNT(                                         \
                                       BY, TO) "bpl 1b\n"                                          \
                                               "2:\n" FINISHED_B(                                  \
                                                   BY, TO) "tst %[left], #256\n"                   \
                                                           "beq 3f\n" SUM_OF_##COUNT(TO)           \
                                                               ONE_ON_##TO FINISHED_B(BY,          \
                                                                                      TO) "3:\n"   \
                : [x] "+r"(x), [out] "+r"(out), [left] "+r"(left), [a] "=&r"(a), [b] "=&r"(b),     \
                  [t] "=&r"(t), [u] "=&r"(u)                                                       \
                : [m] "r"(n->multiplier), [r] "r"(n->rounding), [second] "r"(n->at[0]),            \
                  [third] "r"(n->at[1]), [fourth] "r"(n->at[2]), [step] "r"(n->step),              \
                  [to] "r"(n->to_step)                                                             \
                : "cc", "memory");                                                                 \
        }                                                                                          \
    }

LINE(two_next, 2, I32, NEXT)
LINE(two_apart, 2, I32, APART)
LINE(three_next, 3, I32, NEXT)
LINE(three_apart, 3, I32, APART)
LINE(four_next, 4, I32, NEXT)
LINE(four_apart, 4, I32, APART)
#if HALVES
LINE(two_high_next, 2, HIGH, NEXT)
LINE(two_high_apart, 2, HIGH, APART)
LINE(three_high_next, 3, HIGH, NEXT)
LINE(three_high_apart, 3, HIGH, APART)
LINE(four_high_next, 4, HIGH, NEXT)
LINE(four_high_apart, 4, HIGH, APART)
#endif

typedef void near_line(const near_steps *, const mean_lines *);

static inline near_line *near_line_of(int32_t taps, int apart, int high) {
    static near_line *const lines[][NEAR_TAPS - 1][2] = {
        {{two_next, two_apart}, {three_next, three_apart}, {four_next, four_apart}},
#if HALVES
        {{two_high_next, two_high_apart},
         {three_high_next, three_high_apart},
         {four_high_next, four_high_apart}},
#endif
    };
    return lines[high][taps - 2][apart];
}

/* A shift by register looks at the lowest byte alone: above it lies whether there is one output
 * more than those of all turns and the one they leave, then how many turns are left. */
static void make_lines(const mean *m, const near_taps *near, const mean_lines *l) {
    enum { SIZE = sizeof(element) };
    const int apart = l->step != 1 || l->to_step != 1;
    const int32_t *at = near->at, moved = apart ? 0 : 1, turns = (l->count - 1) / 2;
    const near_steps n = {m->multiplier,
                          m->rounding,
                          (turns - 1) * 512 | (~l->count & 1) << 8 | m->shift,
                          {(at[0] - moved) * SIZE, (at[1] - moved) * SIZE, (at[2] - moved) * SIZE},
                          l->step * SIZE,
                          l->to_step * SIZE};
    near_line_of(near->count, apart, m->requant->rule == DPL_Q32)(&n, l);
}

#else

static inline element near_mean(const mean *m, const near_taps *near, const element *x) {
    int32_t sum = *x;
    for (int32_t t = 0; t + 1 < near->count; t++) {
        sum += x[near->at[t]];
    }
    return (element)SATURATE(m->requant->rule == DPL_Q32
                                 ? scale_high(sum, m->multiplier, m->rounding)
                                 : (sum * m->multiplier + m->rounding) >> m->shift);
}

static void make_lines(const mean *m, const near_taps *near, const mean_lines *l) {
    for (int32_t n = 0; n < l->lines; n++) {
        const element *from = l->from + n * l->next;
        element *to = l->to + n * l->to_next;
        for (int32_t i = 0; i < l->count; i++) {
            to[i * l->to_step] = near_mean(m, near, from + i * l->step);
        }
    }
}

#endif
