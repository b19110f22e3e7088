/* Depthwise sums of four pixels of one channel, and their outputs: elements are loaded by
 * themselves, so that strides, dilations and numbers of channels may be any, and a weight is loaded
 * once for four. A file names `element`, its BITS, LOAD, STORE and LIMIT.
 *
 * A list states the fours of pixels: the second and third are as far apart as the first two, the
 * fourth lies anywhere. Weights as the layout "pixel_taps" has them: of an output channel the bias,
 * two taps a word, the multiplier.
 *
 * A load stands beside each product. Nine taps, in three rows of three, lie in a row of
 * instructions: 61 cycles for four outputs, 18 of them beside the taps. Of other windows a list has
 * the steps from tap to tap: 12 cycles for two, 22 beside them; rows of four and five taps, which
 * have loops of their own, take 21.5 and 27. */
#ifndef DPL_CORTEX_M_PIXEL_TAPS_H
#define DPL_CORTEX_M_PIXEL_TAPS_H

#include "dpl/cortex_m/simd.h"

enum { FOUR = 4, NINE = 9 };

/* Bytes from a channel's first element, or output, to those of four pixels: to the first, from it
 * to the second, and to the fourth. `steps`: of nine taps the bytes from the last of a row to the
 * first of the next; else those to where steps are. `across`: from a tap to the one beside it. */
typedef struct {
    int32_t at, second, fourth, steps, across;
    int32_t out, out_second, out_fourth;
} four_pixels;
_Static_assert(sizeof(four_pixels) == 32, "the loops walk by 32 bytes");

/* Fours of `count` channels, whose elements are `x_step` bytes apart and whose records of weights
 * are `record` bytes apart. */
typedef struct {
    const four_pixels *list; /* behind the last is another, which `across` 0 tells from them */
    const int32_t *w;        /* behind the first bias */
    const element *x;
    element *out;
    intptr_t steps; /* an address; of rows that have a loop, bytes of weights before the last */
    int32_t zero;   /* that scaled sums are added to */
    int32_t count, x_step, record;
} pixel_run;

typedef void (*pixel_loop)(const pixel_run *r);

#if defined(__ARM_FEATURE_DSP)

#define AT_0 "]\n"
#define AT_1 ", %[second]]\n"
#define AT_2 ", %[second], lsl #1]\n"
#define AT_3 ", %[fourth]]\n"
#define PIXEL(X, AT) LOAD " %[" X "], [%[at]" AT
#define MUL(HALF, S, X, W, SUM) "smlab" HALF " %[" S "], %[" X "], %[" W "], %[" SUM "]\n"

/* A tap whose weight is a HALF of W, 5 cycles. Its pixels I, J and K are in A, B and C, oldest
 * first; those of the next tap come there in the same order. STEP goes to the next tap, beside
 * which stands another load: where two loads stand beside each other, their banks may be one. */
#define SOME_TAP(HALF, W, A, B, C, I, J, K, STEP)                                                  \
    MUL(HALF, "s" I, A, W, "s" I)                                                                  \
    PIXEL(A, AT_3)                                                                                 \
    STEP MUL(HALF, "s" J, B, W, "s" J) PIXEL(B, AT_0) MUL(HALF, "s" K, C, W, "s" K) PIXEL(C, AT_1) \
        MUL(HALF, "s3", A, W, "s3") PIXEL(A, AT_2)
#define TAP(HALF, W, A, B, C, STEP) SOME_TAP(HALF, W, A, B, C, "0", "1", "2", STEP)
#define LAST_TAP(HALF, W, A, B, C, AFTER_0, AFTER_1)                                               \
    MUL(HALF, "s0", A, W, "s0")                                                                    \
    PIXEL(A, AT_3)                                                                                 \
    MUL(HALF, "s1", B, W, "s1")                                                                    \
    AFTER_0 MUL(HALF, "s2", C, W, "s2") AFTER_1 MUL(HALF, "s3", A, W, "s3")

/* The four that a leads to: where its pixels lie, which is loaded beside the stores of the four
 * before it, and its first pixel. */
#define FIRST_FOUR                                                                                 \
    "0:\n ldr %[a], %[list]\n ldr %[c], %[x]\n"                                                    \
    "ldr %[at], [%[a]]\n ldr %[second], [%[a], #4]\n"                                              \
    "ldr %[v], [%[a], #12]\n ldr %[across], [%[a], #16]\n ldr %[fourth], [%[a], #8]\n"             \
    "ldr %[taps], %[weights]\n"
#define BEGIN FIRST_FOUR "add %[at], %[at], %[c]\n 1:\n str %[a], %[now]\n"

/* Four sums to outputs. Behind the last four of a channel `across` is 0. */
#define OUTPUTS(FACTOR, ZERO, SPARE, BOUND)                                                        \
    "smmlar %[s0], %[s0], %[" FACTOR "], %[" ZERO "]\n ldr %[b], [%[a], #20]\n"                    \
    "smmlar %[s1], %[s1], %[" FACTOR "], %[" ZERO "]\n ldr %[c], %[out]\n"                         \
    "smmlar %[s2], %[s2], %[" FACTOR "], %[" ZERO "]\n ldr %[" SPARE                               \
    "], [%[a], #24]\n" BOUND("s0") "smmlar %[s3], %[s3], %[" FACTOR "], %[" ZERO "]\n" BOUND(      \
        "s1") "add %[b], %[b], %[c]\n" BOUND("s2") "ldr %[fourth], [%[a], #28]\n" BOUND("s3")      \
        STORE " %[s0], [%[b]]\n ldr %[across], [%[a], #48]\n" STORE " %[s1], [%[b], %[" SPARE      \
              "]]\n ldr %[at], [%[a], #32]!\n" STORE " %[s2], [%[b], %[" SPARE                     \
              "], lsl #1]\n ldr %[c], %[x]\n" STORE                                                \
              " %[s3], [%[b], %[fourth]]\n ldr %[v], [%[a], #12]\n"                                \
              "ldr %[fourth], [%[a], #8]\n add %[at], %[at], %[c]\n"                               \
              "ldr %[second], [%[a], #4]\n cmp %[across], #0\n bne 1b\n"

/* The next channel. */
#define NEXT_CHANNEL                                                                               \
    "ldr %[a], %[left]\n ldr %[b], %[record]\n subs %[a], %[a], #1\n ldr %[taps], %[weights]\n"    \
    "beq 9f\n str %[a], %[left]\n ldr %[a], %[x_step]\n ldr %[v], %[out]\n"                        \
    "add %[taps], %[taps], %[b]\n add %[c], %[c], %[a]\n str %[taps], %[weights]\n"                \
    "add %[v], %[v], #" SIZE_TEXT "\n str %[c], %[x]\n str %[v], %[out]\n b 0b\n"                  \
    "9:\n"

#define ACROSS "add %[at], %[at], %[across]\n"
#define DOWN(V) "add %[at], %[at], %[" V "]\n"
#define DOWN_TO(V) "ldr %[" V "], %[down]\n"
#define WEIGHTS(W, I) "ldr %[" W "], [%[taps], #" I "]\n"
#define NINE_TAPS                                                                                  \
    BEGIN PIXEL("a", AT_0) WEIGHTS("w", "0") "str %[v], %[down]\n" PIXEL("b", AT_1)                \
        WEIGHTS("s3", "-4") PIXEL("c", AT_2) MUL("b", "s0", "a", "w", "s3") PIXEL("a", AT_3)       \
            ACROSS WEIGHTS("v", "4") MUL("b", "s1", "b", "w", "s3") PIXEL("b", AT_0)               \
                MUL("b", "s2", "c", "w", "s3") PIXEL("c", AT_1) MUL("b", "s3", "a", "w", "s3")     \
                    PIXEL("a", AT_2) TAP("t", "w", "b", "c", "a", ACROSS) DOWN_TO("w")             \
                        TAP("b", "v", "c", "a", "b", DOWN("w") WEIGHTS("w", "8"))                  \
                            TAP("t", "v", "a", "b", "c", ACROSS) TAP("b", "w", "b", "c", "a",      \
                                                                     ACROSS DOWN_TO("v"))          \
                                TAP("t", "w", "c", "a", "b", DOWN("v") WEIGHTS("v", "12"))         \
                                    TAP("b", "v", "a", "b", "c", ACROSS WEIGHTS("w", "16")) TAP(   \
                                        "t", "v", "b", "c", "a", ACROSS WEIGHTS("across", "20"))   \
                                        LAST_TAP("b", "w", "c", "a", "b", "ldr %[v], %[zero]\n",   \
                                                 "ldr %[a], %[now]\n")

/* Two taps an iteration. v leads to the next step, across is that; none follows the last tap. */
#define NEXT_STEP "ldr %[across], [%[v]], #4\n"
#define SOME_TAPS                                                                                  \
    BEGIN "ldr %[b], %[steps]\n ldr %[taps], %[weights]\n"                                         \
          "add %[v], %[v], %[b]\n" PIXEL("a", AT_0) PIXEL("b", AT_1) NEXT_STEP PIXEL(              \
              "c", AT_2) "ldr %[s0], [%[taps], #-4]\n ldr %[w], [%[taps]]\n"                       \
                         "mov %[s1], %[s0]\n mov %[s2], %[s0]\n mov %[s3], %[s0]\n"                \
                         "2:\n" SOME_TAP("b", "w", "b", "c", "a", "1", "2", "0", ACROSS NEXT_STEP) \
                             MUL("t", "s0", "c", "w", "s0") PIXEL("c", AT_3) ACROSS                \
        "cmp %[across], #0\n" MUL("t", "s1", "a", "w", "s1") PIXEL("a", AT_0)                      \
            MUL("t", "s2", "b", "w", "s2") PIXEL("b", AT_1) MUL("t", "s3", "c", "w", "s3")         \
                PIXEL("c", AT_2) "ldr %[w], [%[taps], #4]!\n" NEXT_STEP "bne 2b\n"                 \
                                 "ldr %[across], %[zero]\n ldr %[a], %[now]\n"

/* Rows of four and of five taps: w and v hold their weights by turns, and what leads down a row, or
 * where weights of the last row lie, where they hold none. Behind the last row nothing leads down.
 */
#define BEGIN_ROWS                                                                                 \
    BEGIN "str %[v], %[down]\n ldr %[taps], %[weights]\n ldr %[v], %[steps]\n" PIXEL("a", AT_0)    \
        PIXEL("b", AT_1) WEIGHTS("s0", "-4") PIXEL("c", AT_2) WEIGHTS(                             \
            "w",                                                                                   \
            "0") "add %[v], %[v], %[taps]\n"                                                       \
                 "mov %[s1], %[s0]\n mov %[s2], %[s0]\n mov %[s3], %[s0]\n str %[v], %[end]\n2:\n"
#define SECOND_TAP(HALF, W, A, B, C, STEP) SOME_TAP(HALF, W, B, C, A, "1", "2", "0", STEP)
#define END_TO(W) "ldr %[" W "], %[end]\n"
#define IS_LAST(W) "cmp %[taps], %[" W "]\n"
#define DOWN_ROW(W) "it ne\n addne %[at], %[at], %[" W "]\n"
#define NEXT_ROW(W, BYTES) "ldr %[" W "], [%[taps], #" BYTES "]!\n"
#define END_ROWS "bne 2b\n ldr %[across], %[zero]\n ldr %[a], %[now]\n"
#define ROWS_OF_4                                                                                  \
    BEGIN_ROWS TAP("b", "w", "a", "b", "c", ACROSS WEIGHTS("v", "4"))                              \
        TAP("t", "w", "b", "c", "a", ACROSS)                                                       \
            SECOND_TAP("b", "v", "c", "a", "b", ACROSS END_TO("w")) IS_LAST("w") DOWN_TO("w")      \
                SECOND_TAP("t", "v", "b", "c", "a", DOWN_ROW("w") NEXT_ROW("w", "8")) END_ROWS
#define ROWS_OF_5                                                                                  \
    BEGIN_ROWS TAP("b", "w", "a", "b", "c", ACROSS WEIGHTS("v", "4"))                              \
        TAP("t", "w", "b", "c", "a", ACROSS) TAP("b", "v", "c", "a", "b", ACROSS END_TO("w"))      \
            IS_LAST("w") TAP("t", "v", "a", "b", "c", ACROSS WEIGHTS("w", "8")) DOWN_TO("v")       \
                SECOND_TAP("b", "w", "b", "c", "a",                                                \
                           DOWN_ROW("v") NEXT_ROW("v", "12")) "mov %[w], %[v]\n" END_ROWS

/* `left` channels, the elements of which are `x_step` bytes apart. */
#define PIXEL_LOOP(NAME, TAPS, FACTOR, ZERO, SPARE, BOUND)                                         \
    static __attribute__((noinline)) void NAME(const pixel_run *r) {                               \
        const four_pixels *const list = r->list, *now;                                             \
        const int32_t zero = r->zero, record = r->record, x_step = r->x_step;                      \
        const int32_t *weights = r->w, *taps;                                                      \
        const intptr_t steps = r->steps;                                                           \
        const element *x = r->x;                                                                   \
        element *out = r->out;                                                                     \
        int32_t s0, s1, s2, s3, a, b, c, w, v, at, second, fourth, across, down, left = r->count;  \
        const int32_t *end;                                                                        \
        __asm__ volatile(                                                                          \
            TAPS OUTPUTS(FACTOR, ZERO, SPARE, BOUND) NEXT_CHANNEL                                  \
            : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [a] "=&r"(a),        \
              [b] "=&r"(b), [c] "=&r"(c), [w] "=&r"(w), [v] "=&r"(v), [at] "=&r"(at),              \
              [second] "=&r"(second), [fourth] "=&r"(fourth), [across] "=&r"(across),              \
              [taps] "=&r"(taps), [down] "=m"(down), [end] "=m"(end), [now] "=m"(now),             \
              [x] "+m"(x), [out] "+m"(out), [left] "+m"(left), [weights] "+m"(weights)             \
            : [list] "m"(list), [zero] "m"(zero), [steps] "m"(steps), [record] "m"(record),        \
              [x_step] "m"(x_step)                                                                 \
            : "cc", "memory");                                                                     \
    }

PIXEL_LOOP(nine_pixels, NINE_TAPS, "across", "v", "w", LIMIT)
PIXEL_LOOP(some_pixels, SOME_TAPS, "w", "across", "v", LIMIT)
PIXEL_LOOP(rows_of_4, ROWS_OF_4, "w", "across", "v", LIMIT)
PIXEL_LOOP(rows_of_5, ROWS_OF_5, "w", "across", "v", LIMIT)
#if BITS == 16
PIXEL_LOOP(nine_positive_pixels, NINE_TAPS, "across", "v", "w", NOT_BELOW_ZERO)
PIXEL_LOOP(positive_pixels, SOME_TAPS, "w", "across", "v", NOT_BELOW_ZERO)
PIXEL_LOOP(positive_rows_of_4, ROWS_OF_4, "w", "across", "v", NOT_BELOW_ZERO)
PIXEL_LOOP(positive_rows_of_5, ROWS_OF_5, "w", "across", "v", NOT_BELOW_ZERO)
#endif

#endif

#endif
