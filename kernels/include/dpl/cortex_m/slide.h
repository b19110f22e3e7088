/* Depthwise sums of neighbouring outputs of one channel, four at once, two taps a product.
 *
 * Columns 2i and 2i + 1 of a channel are the halfwords of word i of a packed row; the words of four
 * channels take turns. A row of taps w0 w1 w2 ... is a row of terms: at stride 1 term t is the word
 * even = (w[2t], w[2t + 1]) and the word odd = (w[2t - 1], w[2t]), at stride 2 only the even one;
 * taps that are not there are zero. Channels take turns here, too. Then
 *
 *     stride 1, output 2i:      sum of word[i + t] * even[t]
 *     stride 1, output 2i + 1:  sum of word[i + t] * odd[t]
 *     stride 2, output i:       sum of word[i + t] * even[t]
 *
 * with products of two halfwords (smlad), wherever a window begins. A term is four products for
 * four outputs; loads and the walk stand beside them. By the pipeline model of the Cortex-M7 a row
 * of two terms takes 9 cycles for four outputs, one of three 13 (0.65 a product of five taps), and
 * of more terms two take 9; the block's beginning and end take 21. What does not fit the registers
 * is on the stack. A file names its `element`, its BITS, its STORE and `saturate` before this. */
#ifndef DPL_CORTEX_M_SLIDE_H
#define DPL_CORTEX_M_SLIDE_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/simd.h"

enum {
    OUTPUTS = DPL_RING_OUTPUTS,
    LANES = DPL_RING_CHANNELS
}; /* outputs at once; channels of a packed row */

/* What all rows of a call have in common. */
typedef struct {
    int32_t stride; /* 1 or 2 */
    int32_t rows;   /* of taps */
    int32_t terms;  /* of a row: 1, 2, 3 or an even number */
    int32_t pitch;  /* words from a packed row to the next, a multiple of LANES */
} filter;

/* Rows of outputs of up to four channels, `at` of the first. `x`: the first word of the first
 * packed row; `w`: of the first row's terms. */
typedef struct {
    const filter *f;
    const uint32_t *x, *w;
    int32_t channels;
    int32_t whole; /* words of all whole blocks of a row */
    int32_t left;  /* outputs behind them */
    const int32_t *bias, *multiplier;
    int32_t each;  /* entries of `multiplier` from a channel to the next */
    int32_t zero;  /* for the high-word rule */
    void *out;     /* elements, channels beside one another */
    int32_t pitch; /* bytes from an output to the next */
} slide_job;

/* Words of a row of a channel's weights. */
static inline int32_t weight_words(const filter *f) {
    return f->terms * (f->stride == 1 ? 2 : 1);
}

/* Words from a block to the next. */
static inline int32_t block_words(const filter *f) {
    return f->stride * OUTPUTS / 2 * LANES;
}

/* Blocks of outputs of one channel that lie next to one another. */
typedef struct {
    const uint32_t *x, *w, *end; /* `end`: x behind the last block */
    int32_t bias, multiplier, zero;
    void *out;
    int32_t pitch; /* bytes */
} slide_run;

static inline void sums_by_1(const filter *f, const slide_run *r, int32_t *s) {
    const uint32_t *x = r->x, *w = r->w;
    for (int32_t row = 0; row < f->rows; row++, x += f->pitch) {
        const uint32_t *at = x;
        for (int32_t t = f->terms; t > 0; t--, w += 2 * LANES, at += LANES) {
            s[0] = dual_mac(at[0], w[0], s[0]);
            s[1] = dual_mac(at[0], w[LANES], s[1]);
            s[2] = dual_mac(at[LANES], w[0], s[2]);
            s[3] = dual_mac(at[LANES], w[LANES], s[3]);
        }
    }
}

static inline void sums_by_2(const filter *f, const slide_run *r, int32_t *s) {
    const uint32_t *x = r->x, *w = r->w;
    for (int32_t row = 0; row < f->rows; row++, x += f->pitch) {
        const uint32_t *at = x;
        for (int32_t t = f->terms; t > 0; t--, w += LANES, at += LANES) {
            s[0] = dual_mac(at[0], *w, s[0]);
            s[1] = dual_mac(at[LANES], *w, s[1]);
            s[2] = dual_mac(at[2 * LANES], *w, s[2]);
            s[3] = dual_mac(at[3 * LANES], *w, s[3]);
        }
    }
}

/* In C: what the assembly below has no case for, and all of it on a host. */
static inline void run_in_c(const filter *f, slide_run *r, int high) {
    for (; r->x != r->end; r->x += block_words(f)) {
        int32_t s[OUTPUTS] = {r->bias, r->bias, r->bias, r->bias};
        if (f->stride == 1) {
            sums_by_1(f, r, s);
        } else {
            sums_by_2(f, r, s);
        }
        for (int32_t i = 0; i < OUTPUTS; i++, r->out = (char *)r->out + r->pitch) {
            if (high) {
                *(element *)r->out = (element)saturate(scale_high(s[i], r->multiplier, r->zero));
            } else {
                *(int32_t *)r->out = s[i];
            }
        }
    }
}

#if defined(__ARM_FEATURE_DSP)

#define MAC(S, X, W) "smlad %[" S "], %[" X "], %[" W "], %[" S "]\n"
#define TAKE(W) "ldr %[" W "], [%[w]], #16\n"
#define WORD(X, T) "ldr %[" X "], [%[x], #16*" T "]\n"
#define NEXT_ROW "add %[x], %[x], %[pitch]\n"
#define COUNT "subs %[rows], %[rows], #1\n"

/* Stride 1: a term with its first word in A and its second in B; A is then loaded with word T. */
#define TERM(A, B, T, LOADS)                                                                       \
    MAC("s0", A, "even")                                                                           \
    TAKE("odd")                                                                                    \
    MAC("s2", B, "even")                                                                           \
    LOADS                                                                                          \
    MAC("s1", A, "odd")                                                                            \
    TAKE("even")                                                                                   \
    MAC("s3", B, "odd")                                                                            \
    WORD(A, T)

/* The last term of a row, whose words A and B are x0 and x1 in either order, loads the first words
 * of the next: first x0, which that needs first. So the odd product of x0, to sum S, comes before
 * that of x1, to sum T. */
#define LAST(A, B, S, T)                                                                           \
    MAC("s0", A, "even")                                                                           \
    TAKE("odd")                                                                                    \
    MAC("s2", B, "even")                                                                           \
    NEXT_ROW                                                                                       \
    MAC(S, "x0", "odd")                                                                            \
    TAKE("even")                                                                                   \
    WORD("x0", "0")                                                                                \
    MAC(T, "x1", "odd")                                                                            \
    WORD("x1", "1")
#define LAST_OF_ODD LAST("x0", "x1", "s1", "s3")
#define LAST_OF_EVEN LAST("x1", "x0", "s3", "s1")

#define FIRST_1 WORD("x0", "0") WORD("x1", "1")
#define BY_1(TERMS) FIRST_1 "1:\n" TERMS "bne 1b\n"
#define BY_1_OF_1 BY_1(COUNT LAST_OF_ODD)
#define BY_1_OF_2 BY_1(TERM("x0", "x1", "2", COUNT) LAST_OF_EVEN)
#define BY_1_OF_3 BY_1(TERM("x0", "x1", "2", COUNT) TERM("x1", "x0", "3", "") LAST_OF_ODD)

/* Two terms an iteration; the row's end takes back what the iterations walked. */
#define COUNT_ITERATION "subs %[n], %[n], #1\n"
#define WORD_2_ON "ldr %[x0], [%[x], #32]!\n"
#define TWO_TERMS                                                                                  \
    MAC("s0", "x0", "even")                                                                        \
    TAKE("odd")                                                                                    \
    MAC("s2", "x1", "even")                                                                        \
    COUNT_ITERATION                                                                                \
    MAC("s1", "x0", "odd")                                                                         \
    TAKE("even")                                                                                   \
    WORD_2_ON                                                                                      \
    MAC("s3", "x1", "odd")                                                                         \
    TERM("x1", "x0", "1", "")
#define BY_1_OF_MANY                                                                               \
    FIRST_1                                                                                        \
    "1:\n ldr %[n], %[iterations]\n"                                                               \
    "2:\n" TWO_TERMS "bne 2b\n" NEXT_ROW COUNT FIRST_1 "bne 1b\n"

/* Stride 2: one word of weights serves a term, `even` and `odd` in turn. Words come into x0 to x3
 * in turn; the last term of a row takes x0 first, for which the next row waits. */
#define FIRST_2 FIRST_1 WORD("x2", "2") WORD("x3", "3")
#define FIRST_BY_2                                                                                 \
    MAC("s0", "x0", "even")                                                                        \
    TAKE("odd")                                                                                    \
    MAC("s1", "x1", "even")                                                                        \
    WORD("x0", "4")                                                                                \
    MAC("s2", "x2", "even")                                                                        \
    COUNT                                                                                          \
    MAC("s3", "x3", "even")
#define LAST_BY_2(S0, S1, S2, S3, W, TAKE_EARLY, TAKE_LATE)                                        \
    NEXT_ROW                                                                                       \
    MAC(S0, "x0", W)                                                                               \
    TAKE_EARLY                                                                                     \
    MAC(S1, "x1", W)                                                                               \
    WORD("x0", "0")                                                                                \
    MAC(S2, "x2", W)                                                                               \
    WORD("x1", "1")                                                                                \
    MAC(S3, "x3", W)                                                                               \
    TAKE_LATE                                                                                      \
    WORD("x2", "2")                                                                                \
    WORD("x3", "3")
#define BY_2(TERMS) FIRST_2 "1:\n" TERMS "bne 1b\n"
#define BY_2_OF_1 BY_2(COUNT LAST_BY_2("s0", "s1", "s2", "s3", "even", "", TAKE("even")))
#define BY_2_OF_2 BY_2(FIRST_BY_2 LAST_BY_2("s3", "s0", "s1", "s2", "odd", TAKE("even"), ""))
#define BY_2_OF_3                                                                                  \
    BY_2(FIRST_BY_2 MAC("s0", "x1", "odd") MAC("s1", "x2", "odd") TAKE("even")                     \
             MAC("s2", "x3", "odd") WORD("x1", "5") MAC("s3", "x0", "odd")                         \
                 LAST_BY_2("s2", "s3", "s0", "s1", "even", "", TAKE("even")))

/* A block from its bias to its outputs. */
#define BEGIN_BLOCK                                                                                \
    "3:\n ldr %[x], %[block]\n ldr %[w], %[first]\n"                                               \
    "ldr %[s0], %[bias]\n ldr %[even], [%[w]], #16\n"                                              \
    "ldr %[rows], %[height]\n"                                                                     \
    "mov %[s1], %[s0]\n mov %[s2], %[s0]\n mov %[s3], %[s0]\n"
#define END_BLOCK(STORE)                                                                           \
    "ldr %[rows], %[step]\n ldr %[x], %[block]\n"                                                  \
    "add %[odd], %[w], %[even], lsl #1\n " STORE                                                   \
    " %[s0], [%[w]]\n add %[x], %[x], %[rows]\n " STORE                                            \
    " %[s1], [%[w], %[even]]\n ldr %[rows], %[end]\n " STORE                                       \
    " %[s2], [%[odd]]\n add %[w], %[w], %[even], lsl #2\n " STORE                                  \
    " %[s3], [%[odd], %[even]]\n cmp %[x], %[rows]\n"                                              \
    "str %[x], %[block]\n str %[w], %[out]\n bne 3b\n"
#define HIGH_WORDS(BITS)                                                                           \
    "ldr %[x0], %[m]\n ldr %[x1], %[zero]\n"                                                       \
    "smmlar %[s0], %[s0], %[x0], %[x1]\n ldr %[w], %[out]\n"                                       \
    "smmlar %[s1], %[s1], %[x0], %[x1]\n ssat %[s0], #" BITS ", %[s0]\n"                           \
    "smmlar %[s2], %[s2], %[x0], %[x1]\n ssat %[s1], #" BITS ", %[s1]\n"                           \
    "smmlar %[s3], %[s3], %[x0], %[x1]\n ssat %[s2], #" BITS ", %[s2]\n"                           \
    "ldr %[even], %[apart]\n ssat %[s3], #" BITS ", %[s3]\n"
#define BARE_SUMS "ldr %[w], %[out]\n ldr %[even], %[apart]\n"

#define SUMS [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)
#define WALK                                                                                       \
    [x] "=&r"(x), [w] "=&r"(w), [rows] "=&r"(rows), [even] "=&r"(even), [odd] "=&r"(odd),          \
        [x0] "=&r"(x0), [x1] "=&r"(x1), [block] "+m"(r->x), [out] "+m"(r->out)
#define GIVEN                                                                                      \
    [pitch] "r"(pitch), [first] "m"(r->w), [height] "m"(height), [bias] "m"(r->bias),              \
        [m] "m"(r->multiplier), [zero] "m"(r->zero), [apart] "m"(r->pitch), [step] "m"(step),      \
        [end] "m"(r->end)

#define RUN_1(BODY, ENDING)                                                                        \
    __asm__ volatile(BEGIN_BLOCK BODY ENDING : SUMS, WALK:GIVEN : "cc", "memory")
#define RUN_MANY(BODY, ENDING)                                                                     \
    __asm__ volatile(BEGIN_BLOCK BODY ENDING                                                       \
                     : SUMS, WALK, [n] "=&r"(n)                                                    \
                     : GIVEN, [iterations] "m"(iterations)                                         \
                     : "cc", "memory")
#define RUN_2(BODY, ENDING)                                                                        \
    __asm__ volatile(BEGIN_BLOCK BODY ENDING                                                       \
                     : SUMS, WALK, [x2] "=&r"(x2), [x3] "=&r"(x3)                                  \
                     : GIVEN                                                                       \
                     : "cc", "memory")

/* Words behind the rows and the weights are read and meet nothing. */
#define RUN(NAME, HIGH, ENDING)                                                                    \
    static inline __attribute__((always_inline)) void NAME(const filter *f, slide_run *r) {        \
        const int32_t step = 4 * block_words(f), height = f->rows;                                 \
        const uint32_t *x, *w;                                                                     \
        int32_t s0, s1, s2, s3, rows, pitch = 4 * f->pitch;                                        \
        uint32_t x0, x1, even, odd;                                                                \
        if (f->stride == 2 && f->terms <= 3) {                                                     \
            uint32_t x2, x3;                                                                       \
            if (f->terms == 3) {                                                                   \
                RUN_2(BY_2_OF_3, ENDING);                                                          \
            } else if (f->terms == 2) {                                                            \
                RUN_2(BY_2_OF_2, ENDING);                                                          \
            } else {                                                                               \
                RUN_2(BY_2_OF_1, ENDING);                                                          \
            }                                                                                      \
        } else if (f->stride == 2) {                                                               \
            run_in_c(f, r, HIGH);                                                                  \
        } else if (f->terms == 3) {                                                                \
            RUN_1(BY_1_OF_3, ENDING);                                                              \
        } else if (f->terms == 2) {                                                                \
            RUN_1(BY_1_OF_2, ENDING);                                                              \
        } else if (f->terms == 1) {                                                                \
            RUN_1(BY_1_OF_1, ENDING);                                                              \
        } else {                                                                                   \
            const int32_t iterations = f->terms / 2;                                               \
            int32_t n;                                                                             \
            pitch -= 4 * LANES * f->terms;                                                         \
            RUN_MANY(BY_1_OF_MANY, ENDING);                                                        \
        }                                                                                          \
    }

RUN(run_high, 1, HIGH_WORDS(BITS) END_BLOCK(STORE))
RUN(run_sums, 0, BARE_SUMS END_BLOCK("str"))

#else

static inline void run_high(const filter *f, slide_run *r) {
    run_in_c(f, r, 1);
}

static inline void run_sums(const filter *f, slide_run *r) {
    run_in_c(f, r, 0);
}

#endif

/* Outputs of one channel; those of a block that is not whole go by a room of their own. */
static inline __attribute__((always_inline)) void high_channel(const slide_job *j, slide_run *r,
                                                               element *out) {
    element room[OUTPUTS];
    r->out = out;
    r->pitch = j->pitch;
    r->end = r->x + j->whole;
    if (j->whole > 0) {
        run_high(j->f, r);
    }
    if (j->left == 0) {
        return;
    }
    out = r->out;
    r->out = room;
    r->pitch = sizeof *out;
    r->end = r->x + block_words(j->f);
    run_high(j->f, r);
    for (int32_t i = 0; i < j->left; i++, out += j->pitch / (int32_t)sizeof *out) {
        *out = room[i];
    }
}

/* The rows by the high-word rule. */
static __attribute__((noinline)) void slide_high(const slide_job *j) {
    for (int32_t c = 0; c < j->channels; c++) {
        slide_run r = {j->x + c, j->w + c, 0, j->bias[c], j->multiplier[c * j->each],
                       j->zero,  0,        0};
        high_channel(j, &r, (element *)j->out + c);
    }
}

/* The sums of one channel's block whose first word is `x` words into the row. */
static __attribute__((noinline)) void slide_sums(const slide_job *j, int32_t channel, int32_t x,
                                                 int32_t *to) {
    slide_run r = {j->x + x + channel, j->w + channel, 0, j->bias[channel], 0, 0, to, 4};
    r.end = r.x + block_words(j->f);
    run_sums(j->f, &r);
}

#endif
