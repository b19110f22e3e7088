/* A loop that makes the largest or smallest of two to four taps of each output, a word or an
 * element of outputs after the other: a body. A file has what extreme_word.h needs, and of its type
 * the mnemonics LINE_LOAD and LINE_STORE and the BYTES of an element. */
#ifndef DPL_CORTEX_M_EXTREME_TURNS_H
#define DPL_CORTEX_M_EXTREME_TURNS_H

#include "dpl/cortex_m/extreme_word.h"
#include "dpl/cortex_m/near_taps.h"

/* Lines of `count` outputs of `size` elements, so many elements apart as their inputs, and so the
 * lines. */
typedef struct {
    const element *from;
    element *to;
    int32_t size, step, to_step, count;
    run_rows lines;
} line_shape;

/* What lies between taps, between outputs and from behind a line to the next one, in bytes. */
typedef struct {
    int32_t at[NEAR_TAPS - 1], step, to_step, next, to_next;
} near_steps;

/* Outputs apart are put two by two: behind the last one or two of a line none move on. */
static inline near_steps steps_of(const int32_t *at, const line_shape *l) {
    enum { SIZE = sizeof(element) };
    const int apart = l->step != l->size || l->to_step != l->size;
    const int32_t moved = apart ? 0 : l->size, put = apart ? (l->count - 1) & -2 : l->count;
    const near_steps s = {{(at[0] - moved) * SIZE, (at[1] - moved) * SIZE, (at[2] - moved) * SIZE},
                          l->step * SIZE,
                          l->to_step * SIZE,
                          (l->lines.from_step - l->count * l->step) * SIZE,
                          (l->lines.to_step - put * l->to_step) * SIZE};
    return s;
}

#if defined(__ARM_FEATURE_DSP)

/* A turn finishes output b, whose taps are there, and makes a, while it loads those of the next b:
 * of two to four taps in 8 to 14 cycles, DSP instructions being the older of their pairs. Of NEXT
 * neighbours the first tap's load moves on, and other places count from there. */
#define WORD_LOAD "ldr"
#define WORD_STORE "str"
#define WORD_SIZE "4"
#define ONE_LOAD LINE_LOAD
#define ONE_STORE LINE_STORE
#define ONE_SIZE BYTES
#define NEAR(OF, S, AT) OF##_LOAD " %[" S "], [%[x], %[" AT "]]\n"
#define BETTER_OF(S, X, BESIDE) DIFFERENCE " %[d], %[" S "], %[" X "]\n" BESIDE TAKE(S, X)
#define LESS_TURNS "subs %[n], %[n], #2\n"
#define FIRST_NEXT(OF, S) OF##_LOAD " %[" S "], [%[x]], #" OF##_SIZE "\n"
#define MOVED_NEXT ""
#define PUT_NEXT(OF, S) OF##_STORE " %[" S "], [%[out]], #" OF##_SIZE "\n"
#define PUT_B_NEXT(OF) PUT_NEXT(OF, "b")
#define PUT_A_NEXT(OF) PUT_NEXT(OF, "a")
#define PUT_TWO_NEXT ""
#define FIRST_APART(OF, S) OF##_LOAD " %[" S "], [%[x]]\n"
#define MOVED_APART "add %[x], %[x], %[step]\n"
#define PUT_B_APART(OF) OF##_STORE " %[b], [%[out]]\n"
#define PUT_A_APART(OF) OF##_STORE " %[a], [%[out], %[to]]\n"
#define PUT_TWO_APART "add %[out], %[out], %[to], lsl #1\n"

/* The taps of output S. */
#define TAPS_OF_2(OF, TO, S) FIRST_##TO(OF, S) NEAR(OF, "t", "second") MOVED_##TO
#define TAPS_OF_3(OF, TO, S)                                                                       \
    FIRST_##TO(OF, S) NEAR(OF, "t", "second") NEAR(OF, "u", "third") MOVED_##TO
#define TAPS_OF_4(OF, TO, S)                                                                       \
    FIRST_##TO(OF, S) NEAR(OF, "t", "second") NEAR(OF, "u", "third") NEAR(OF, "v", "fourth")       \
        MOVED_##TO
#define BEST_OF_2(S) BETTER_OF(S, "t", "")
#define BEST_OF_3(S) BEST_OF_2(S) BETTER_OF(S, "u", "")
#define BEST_OF_4(S) BEST_OF_3(S) BETTER_OF(S, "v", "")

#define TURN_OF_2(OF, TO)                                                                          \
    BETTER_OF("b", "t", FIRST_##TO(OF, "a"))                                                       \
    NEAR(OF, "u", "second")                                                                        \
    MOVED_##TO PUT_B_##TO(OF) FIRST_##TO(OF, "b")                                                  \
        LESS_TURNS BETTER_OF("a", "u", NEAR(OF, "t", "second")) MOVED_##TO PUT_A_##TO(OF)          \
            PUT_TWO_##TO
#define TURN_OF_3(OF, TO)                                                                          \
    BETTER_OF("b", "t", FIRST_##TO(OF, "a"))                                                       \
    NEAR(OF, "v", "second")                                                                        \
    BETTER_OF("b", "u", NEAR(OF, "t", "third"))                                                    \
    MOVED_##TO BETTER_OF("a", "v", PUT_B_##TO(OF)) FIRST_##TO(OF, "b")                             \
        BETTER_OF("a", "t", NEAR(OF, "u", "second")) NEAR(OF, "t", "third")                        \
            MOVED_##TO PUT_A_##TO(OF) LESS_TURNS PUT_TWO_##TO
#define TURN_OF_4(OF, TO)                                                                          \
    BETTER_OF("b", "t", FIRST_##TO(OF, "a"))                                                       \
    NEAR(OF, "t", "second")                                                                        \
    BETTER_OF("b", "u", LESS_TURNS)                                                                \
    NEAR(OF, "u", "third")                                                                         \
    DIFFERENCE " %[d], %[b], %[v]\n" TAKE("b", "v") NEAR(OF, "v", "fourth")                        \
        BETTER_OF("a", "t", MOVED_##TO) PUT_B_##TO(OF) BETTER_OF("a", "u", FIRST_##TO(OF, "b"))    \
            NEAR(OF, "t", "second") BETTER_OF("a", "v", NEAR(OF, "u", "third"))                    \
                NEAR(OF, "v", "fourth") MOVED_##TO PUT_A_##TO(OF) PUT_TWO_##TO

/* Lines of few outputs are most of some pools: from one to the next take 6 cycles. */
#define LINE(NAME, COUNT, OF, TO)                                                                  \
    static __attribute__((noinline)) void NAME(const near_steps *s, const line_shape *l) {         \
        const int32_t count = l->count, next = s->next, to_next = s->to_next;                      \
        const element *x = l->from;                                                                \
        element *out = l->to;                                                                      \
        int32_t lines = l->lines.count, n;                                                         \
        uint32_t a, b, t, u, v, d;                                                                 \
        __asm__ volatile(                                                                          \
            "5:\n ldr %[n], %[count]\n" TAPS_OF_##COUNT(                                           \
                OF, TO, "b") "subs %[n], %[n], #3\n blt 2f\n"                                      \
                             "1:\n" TURN_OF_##COUNT(OF, TO) "bpl 1b\n2:\n" BEST_OF_##COUNT("b")    \
                                 PUT_B_##TO(OF) "tst %[n], #1\n beq 3f\n" TAPS_OF_##COUNT(         \
                                     OF, TO, "a") BEST_OF_##COUNT("a")                             \
                                     PUT_A_##TO(OF) "3: ldr %[a], %[lines]\n"                      \
                                                    "ldr %[t], %[next]\n"                          \
                                                    "ldr %[u], %[to_next]\n"                       \
                                                    "subs %[a], %[a], #1\n"                        \
                                                    "add %[x], %[x], %[t]\n"                       \
                                                    "str %[a], %[lines]\n"                         \
                                                    "add %[out], %[out], %[u]\n bne 5b\n"          \
            : [x] "+r"(x), [out] "+r"(out), [n] "=&r"(n), [a] "=&r"(a), [b] "=&r"(b),              \
              [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v), [d] "=&r"(d), [lines] "+m"(lines)          \
            : [second] "r"(s->at[0]), [third] "r"(s->at[1]), [fourth] "r"(s->at[2]),               \
              [step] "r"(s->step), [to] "r"(s->to_step), [count] "m"(count), [next] "m"(next),     \
              [to_next] "m"(to_next)                                                               \
            : "cc", "memory");                                                                     \
    }

#endif

#endif
