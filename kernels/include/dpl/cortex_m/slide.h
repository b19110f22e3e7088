/* Depthwise sums of four outputs of one channel at once, two taps a product.
 *
 * A word of a packed row has two columns of a channel as halfwords; the words of four channels take
 * turns. Where outputs next to each other read columns next to each other (`sliding`), word i has
 * columns 2i and 2i + 1 and serves two outputs. A row of taps w0 w1 w2 ... is then a row of terms:
 * term t is the word even = (w[2t], w[2t + 1]) and the word odd = (w[2t - 1], w[2t]), taps that are
 * not there being zero, and
 *
 *     output 2i:      sum of word[i + t] * even[t]
 *     output 2i + 1:  sum of word[i + t] * odd[t]
 *
 * with products of two halfwords (smlad), wherever a window begins. Two terms need no more than
 * (w0, w1) and (w1, w2): the taps that stand alone are halves of these (smlatb, smlabt). Elsewhere
 * a word has the two columns that a pair of taps reads for one output, and words of outputs next to
 * each other follow one another: output i is the sum of word[i + t] * even[t].
 *
 * A list states the blocks of four outputs, so that rows end without a branch that fails. A term is
 * four products for four outputs; loads and the walk stand beside them: a row of two terms takes 9
 * cycles for four outputs, one of three 13, one of five 22; of more terms two take 9 in a loop that
 * ends with a branch that fails. Four are filled up to five. A block's beginning and end take 19.
 * 3x3 has loops of its own (dpl/cortex_m/slide_3x3.h), and so has one row of five terms
 * (dpl/cortex_m/slide_row.h). A file names its `element`, its
 * BITS, its STORE and `saturate` before this. */
#ifndef DPL_CORTEX_M_SLIDE_H
#define DPL_CORTEX_M_SLIDE_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/simd.h"

#ifndef SLIDE_LANES
#define SLIDE_LANES 4 /* channels whose words take turns */
#endif
#define LANES_TEXT_OF(N) #N
#define LANES_TEXT(N) LANES_TEXT_OF(N)

enum {
    OUTPUTS = DPL_RING_OUTPUTS,                   /* at once */
    LANES = SLIDE_LANES,                          /* channels of a packed row */
    FIVE = DPL_RING_TERMS,                        /* terms of a row, which four are filled up to */
    STEPS_FIVE = SLIDE_LANES == DPL_RING_CHANNELS /* also where outputs do not slide */
};

static inline int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static inline int32_t blocks_of(int32_t outputs) {
    return (outputs + OUTPUTS - 1) / OUTPUTS;
}

/* What all rows of a call have in common. */
typedef struct {
    int sliding;
    int three;     /* 3x3 by its own loops */
    int32_t rows;  /* of terms */
    int32_t terms; /* of a row: 1, 2, 3, FIVE or, where it slides, any even number */
    int32_t pitch; /* bytes from a packed row to the next */
} filter;

/* Four outputs: the bytes from a channel's first word to that of their windows, and from its first
 * output to theirs; how many of them there are. */
typedef struct {
    int32_t x, out, count;
} block;
_Static_assert(sizeof(block) == 12, "the loops walk by 12 bytes");

/* Blocks of one channel. Behind the last one in the list is another, whose words are read. */
typedef struct {
    const block *list, *end; /* `end`: behind the last block */
    const uint32_t *w;
    const char *x;
    char *out;
    int32_t bias, multiplier, zero;
    int32_t pitch; /* bytes from an output to the next */
    int32_t low;   /* for endings that have it: the least output, which `zero` is less */
} slide_run;

/* Words of a row of a channel's weights. */
static inline int32_t weight_words(const filter *f) {
    return f->sliding && f->terms != 2 ? 2 * f->terms : f->terms;
}

/* Words from a block to the next. */
static inline int32_t block_words(const filter *f) {
    return f->sliding ? OUTPUTS / 2 * LANES : OUTPUTS * LANES;
}

/* A term of outputs that slide, where `even` and `odd` are its words. */
static inline void slide_term(const uint32_t *at, uint32_t even, uint32_t odd, int32_t *s) {
    s[0] = dual_mac(at[0], even, s[0]);
    s[1] = dual_mac(at[0], odd, s[1]);
    s[2] = dual_mac(at[LANES], even, s[2]);
    s[3] = dual_mac(at[LANES], odd, s[3]);
}

static inline void slide_row(const filter *f, const uint32_t *at, const uint32_t *w, int32_t *s) {
    if (f->terms == 2) {
        slide_term(at, w[0], w[0] << 16, s);
        slide_term(at + LANES, w[LANES] >> 16, w[LANES], s);
        return;
    }
    for (int32_t t = f->terms; t > 0; t--, w += 2 * LANES, at += LANES) {
        slide_term(at, w[0], w[LANES], s);
    }
}

static inline void step_row(const filter *f, const uint32_t *at, const uint32_t *w, int32_t *s) {
    for (int32_t t = f->terms; t > 0; t--, w += LANES, at += LANES) {
        for (int32_t n = 0; n < OUTPUTS; n++) {
            s[n] = dual_mac(at[n * LANES], *w, s[n]);
        }
    }
}

static inline void sums_of(const filter *f, const slide_run *r, int32_t *s) {
    const uint32_t *x = (const uint32_t *)(const void *)(r->x + r->list->x), *w = r->w;
    const int32_t pitch = f->pitch / 4, words = LANES * weight_words(f);
    for (int32_t row = 0; row < f->rows; row++, x += pitch, w += words) {
        if (f->sliding) {
            slide_row(f, x, w, s);
        } else {
            step_row(f, x, w, s);
        }
    }
}

/* The same in C: sums, or where `high` elements; 2: those below zero are zero. */
static inline void run_in_c(const filter *f, slide_run *r, int high) {
    for (; r->list != r->end; r->list++) {
        int32_t s[OUTPUTS] = {r->bias, r->bias, r->bias, r->bias};
        char *out = r->out + r->list->out;
        sums_of(f, r, s);
        for (int32_t i = 0; i < OUTPUTS; i++, out += r->pitch) {
            if (high) {
                const int32_t of = saturate(scale_high(s[i], r->multiplier, r->zero));
                *(element *)(void *)out = (element)(high > 1 ? most(of, 0) : of);
            } else {
                *(int32_t *)(void *)out = s[i];
            }
        }
    }
}

#if defined(__ARM_FEATURE_DSP)

#define MAC(S, X, W) "smlad %[" S "], %[" X "], %[" W "], %[" S "]\n"
#define MAC_TB(S, X, W) "smlatb %[" S "], %[" X "], %[" W "], %[" S "]\n"
#define MAC_BT(S, X, W) "smlabt %[" S "], %[" X "], %[" W "], %[" S "]\n"
#define TAKE(W) "ldr %[" W "], [%[w]], #4*" LANES_TEXT(SLIDE_LANES) "\n"
#define WORD(X, T) "ldr %[" X "], [%[x], #4*" LANES_TEXT(SLIDE_LANES) "*" T "]\n"
#define NEXT_ROW "add %[x], %[x], %[pitch]\n"
#define COUNT "subs %[rows], %[rows], #1\n"

/* Sliding: a term with its first word in A and its second in B; A is then loaded with word T. */
#define TERM(A, B, T, LOADS)                                                                       \
    MAC("s0", A, "even")                                                                           \
    TAKE("odd")                                                                                    \
    MAC("s2", B, "even")                                                                           \
    LOADS                                                                                          \
    MAC("s1", A, "odd")                                                                            \
    TAKE("even")                                                                                   \
    MAC("s3", B, "odd")                                                                            \
    WORD(A, T)

/* The last term of a row, whose words are x0 and x1, loads the first words of the next. */
#define LAST_TERM                                                                                  \
    MAC("s0", "x0", "even")                                                                        \
    TAKE("odd")                                                                                    \
    MAC("s2", "x1", "even")                                                                        \
    NEXT_ROW                                                                                       \
    MAC("s1", "x0", "odd")                                                                         \
    TAKE("even")                                                                                   \
    WORD("x0", "0")                                                                                \
    MAC("s3", "x1", "odd")                                                                         \
    WORD("x1", "1")

/* Two terms of a row at once: the third word goes where the first was. */
#define TWO_TERMS                                                                                  \
    MAC("s2", "x1", "even")                                                                        \
    TAKE("odd")                                                                                    \
    MAC_TB("s3", "x1", "even")                                                                     \
    COUNT                                                                                          \
    MAC("s0", "x0", "even")                                                                        \
    MAC_TB("s1", "x0", "even")                                                                     \
    WORD("x0", "2")                                                                                \
    MAC_BT("s0", "x1", "odd")                                                                      \
    NEXT_ROW                                                                                       \
    MAC("s1", "x1", "odd")                                                                         \
    TAKE("even")                                                                                   \
    MAC_BT("s2", "x0", "odd")                                                                      \
    WORD("x1", "1")                                                                                \
    MAC("s3", "x0", "odd")                                                                         \
    WORD("x0", "0")

#define FIRST_WORDS WORD("x0", "0") WORD("x1", "1")
#define SLIDE(TERMS) FIRST_WORDS "1:\n" TERMS "bne 1b\n"
#define SLIDE_1 SLIDE(COUNT LAST_TERM)
#define SLIDE_2 SLIDE(TWO_TERMS)
#define SLIDE_3 SLIDE(TERM("x0", "x1", "2", COUNT) TERM("x1", "x0", "3", "") LAST_TERM)
#define SLIDE_5                                                                                    \
    SLIDE(TERM("x0", "x1", "2", COUNT) TERM("x1", "x0", "3", "") TERM("x0", "x1", "4", "")         \
              TERM("x1", "x0", "5", "") LAST_TERM)

/* Two terms an iteration; the row's end takes back what the iterations walked. */
#define COUNT_ITERATION "subs %[n], %[n], #1\n"
#define WORD_2_ON "ldr %[x0], [%[x], #8*" LANES_TEXT(SLIDE_LANES) "]!\n"
#define NEXT_TWO_TERMS                                                                             \
    MAC("s0", "x0", "even")                                                                        \
    TAKE("odd")                                                                                    \
    MAC("s2", "x1", "even")                                                                        \
    COUNT_ITERATION                                                                                \
    MAC("s1", "x0", "odd")                                                                         \
    TAKE("even")                                                                                   \
    WORD_2_ON                                                                                      \
    MAC("s3", "x1", "odd")                                                                         \
    TERM("x1", "x0", "1", "")
#define SLIDE_MANY                                                                                 \
    FIRST_WORDS                                                                                    \
    "1:\n ldr %[n], %[iterations]\n"                                                               \
    "2:\n" NEXT_TWO_TERMS "bne 2b\n" NEXT_ROW COUNT FIRST_WORDS "bne 1b\n"

/* Not sliding: one word of weights serves a term, `even` and `odd` in turn. Words come into x0 to
 * x3 in turn; the last term of a row takes x0 first, for which the next row waits. */
#define FIRST_FOUR FIRST_WORDS WORD("x2", "2") WORD("x3", "3")
#define FIRST_STEP                                                                                 \
    MAC("s0", "x0", "even")                                                                        \
    TAKE("odd")                                                                                    \
    MAC("s1", "x1", "even")                                                                        \
    WORD("x0", "4")                                                                                \
    MAC("s2", "x2", "even")                                                                        \
    COUNT                                                                                          \
    MAC("s3", "x3", "even")
#define LAST_STEP(S0, S1, S2, S3, W, TAKE_EARLY, TAKE_LATE)                                        \
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
#define STEP(TERMS) FIRST_FOUR "1:\n" TERMS "bne 1b\n"
#define STEP_1 STEP(COUNT LAST_STEP("s0", "s1", "s2", "s3", "even", "", TAKE("even")))
#define STEP_2 STEP(FIRST_STEP LAST_STEP("s3", "s0", "s1", "s2", "odd", TAKE("even"), ""))
/* A term whose words are in A to D; A is then loaded with word T, NEXT with that of the weights. */
#define NEXT_STEP(A, B, C, D, W, NEXT, T)                                                          \
    MAC("s0", A, W)                                                                                \
    MAC("s1", B, W)                                                                                \
    TAKE(NEXT)                                                                                     \
    MAC("s2", C, W)                                                                                \
    WORD(A, T)                                                                                     \
    MAC("s3", D, W)
#define SECOND_STEP NEXT_STEP("x1", "x2", "x3", "x0", "odd", "even", "5")
#define STEP_3                                                                                     \
    STEP(FIRST_STEP SECOND_STEP LAST_STEP("s2", "s3", "s0", "s1", "even", "", TAKE("even")))
#define STEP_5                                                                                     \
    STEP(FIRST_STEP SECOND_STEP NEXT_STEP("x2", "x3", "x0", "x1", "even", "odd", "6")              \
             NEXT_STEP("x3", "x0", "x1", "x2", "odd", "even", "7")                                 \
                 LAST_STEP("s0", "s1", "s2", "s3", "even", "", TAKE("even")))

/* A block from its bias to its outputs. Where it is in the list is in `rows`, where its words are
 * in x: what ends a block loads these of the next beside its stores. */
#define BEGIN_BLOCK                                                                                \
    "ldr %[rows], %[list]\n ldr %[x], [%[rows]]\n"                                                 \
    "3:\n ldr %[x0], %[words]\n ldr %[w], %[first]\n ldr %[s0], %[bias]\n ldr %[rows], "           \
    "%[height]\n"                                                                                  \
    "add %[x], %[x], %[x0]\n" TAKE(                                                                \
        "even") "mov %[s1], %[s0]\n mov %[s2], %[s0]\n mov %[s3], %[s0]\n"
#define END_BLOCK(STORE)                                                                           \
    "ldr %[rows], %[list]\n ldr %[odd], %[outputs]\n ldr %[even], %[apart]\n ldr %[x0], %[end]\n"  \
    "ldr %[w], [%[rows], #4]\n add %[rows], %[rows], #12\n add %[w], %[w], %[odd]\n"               \
    "ldr %[x], [%[rows]]\n " STORE " %[s0], [%[w]]\n add %[odd], %[w], %[even], lsl #1\n " STORE   \
    " %[s1], [%[w], %[even]]\n cmp %[rows], %[x0]\n " STORE                                        \
    " %[s2], [%[odd]]\n str %[rows], %[list]\n " STORE " %[s3], [%[odd], %[even]]\n bne 3b\n"

/* The same of requantized sums: what finds the outputs stands beside the products. A limit takes
 * its operand three cycles after the product, a store takes the limit's two cycles later. */
#define END_HIGH(BOUND)                                                                                  \
    "ldr %[rows], %[list]\n ldr %[x0], %[m]\n ldr %[x1], %[zero]\n ldr %[odd], %[outputs]\n"             \
    "smmlar %[s0], %[s0], %[x0], %[x1]\n ldr %[w], [%[rows], #4]\n"                                      \
    "smmlar %[s1], %[s1], %[x0], %[x1]\n ldr %[even], %[apart]\n"                                        \
    "smmlar %[s2], %[s2], %[x0], %[x1]\n add %[w], %[w], %[odd]\n"                                       \
    "smmlar %[s3], %[s3], %[x0], %[x1]\n add %[odd], %[w], %[even], lsl #1\n" BOUND(                     \
        "s0") "add %[rows], %[rows], #12\n" BOUND("s1") "str %[rows], %[list]\n" BOUND("s2") "ldr"       \
                                                                                             " %["       \
                                                                                             "x0]"       \
                                                                                             ", "        \
                                                                                             "%["        \
                                                                                             "end"       \
                                                                                             "]"         \
                                                                                             "\n" BOUND( \
                                                                                                 "s3")   \
                                                                                                 STORE   \
        " %[s0], [%[w]]\n " STORE " %[s1], [%[w], %[even]]\n"                                            \
        "cmp %[rows], %[x0]\n " STORE " %[s2], [%[odd]]\n ldr %[x], [%[rows]]\n " STORE                  \
        " %[s3], [%[odd], %[even]]\n bne 3b\n"
#define LIMIT(S) "ssat %[" S "], #" BITS ", %[" S "]\n"
#define NOT_BELOW_ZERO(S) "usat %[" S "], #" BITS "-1, %[" S "]\n"

#define SUMS [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)
#define WALK                                                                                       \
    [x] "=&r"(x), [w] "=&r"(w), [rows] "=&r"(rows), [even] "=&r"(even), [odd] "=&r"(odd),          \
        [x0] "=&r"(x0), [x1] "=&r"(x1), [list] "+m"(r->list)
#define GIVEN                                                                                      \
    [pitch] "r"(pitch), [first] "m"(r->w), [height] "m"(height), [bias] "m"(r->bias),              \
        [m] "m"(r->multiplier), [zero] "m"(r->zero), [apart] "m"(r->pitch), [words] "m"(r->x),     \
        [outputs] "m"(r->out), [end] "m"(r->end), [low] "m"(r->low)

#define RUN_SLIDE(BODY, ENDING)                                                                    \
    __asm__ volatile(BEGIN_BLOCK BODY ENDING : SUMS, WALK:GIVEN : "cc", "memory")
#define RUN_MANY(BODY, ENDING)                                                                     \
    __asm__ volatile(BEGIN_BLOCK BODY ENDING                                                       \
                     : SUMS, WALK, [n] "=&r"(n)                                                    \
                     : GIVEN, [iterations] "m"(iterations)                                         \
                     : "cc", "memory")
#define RUN_STEP(BODY, ENDING)                                                                     \
    __asm__ volatile(BEGIN_BLOCK BODY ENDING                                                       \
                     : SUMS, WALK, [x2] "=&r"(x2), [x3] "=&r"(x3)                                  \
                     : GIVEN                                                                       \
                     : "cc", "memory")

/* Words behind the rows and the weights are read and meet nothing. */
#define RUN(NAME, ENDING)                                                                          \
    static inline __attribute__((always_inline)) void NAME(const filter *f, slide_run *r) {        \
        const int32_t height = f->rows;                                                            \
        const uint32_t *x, *w;                                                                     \
        int32_t s0, s1, s2, s3, rows, pitch = f->pitch;                                            \
        uint32_t x0, x1, even, odd;                                                                \
        if (!f->sliding) {                                                                         \
            uint32_t x2, x3;                                                                       \
            if (STEPS_FIVE && f->terms == FIVE) {                                                  \
                RUN_STEP(STEP_5, ENDING);                                                          \
            } else if (f->terms == 3) {                                                            \
                RUN_STEP(STEP_3, ENDING);                                                          \
            } else if (f->terms == 2) {                                                            \
                RUN_STEP(STEP_2, ENDING);                                                          \
            } else {                                                                               \
                RUN_STEP(STEP_1, ENDING);                                                          \
            }                                                                                      \
        } else if (f->terms == FIVE) {                                                             \
            RUN_SLIDE(SLIDE_5, ENDING);                                                            \
        } else if (f->terms == 3) {                                                                \
            RUN_SLIDE(SLIDE_3, ENDING);                                                            \
        } else if (f->terms == 2) {                                                                \
            RUN_SLIDE(SLIDE_2, ENDING);                                                            \
        } else if (f->terms == 1) {                                                                \
            RUN_SLIDE(SLIDE_1, ENDING);                                                            \
        } else {                                                                                   \
            const int32_t iterations = f->terms / 2;                                               \
            int32_t n;                                                                             \
            pitch -= 4 * LANES * f->terms;                                                         \
            RUN_MANY(SLIDE_MANY, ENDING);                                                          \
        }                                                                                          \
    }

RUN(run_rows, END_HIGH(LIMIT))
RUN(run_sums, END_BLOCK("str"))

#if SLIDE_LANES == DPL_RING_CHANNELS
#include "dpl/cortex_m/slide_3x3.h"
#include "dpl/cortex_m/slide_row.h"

RUN(positive_rows, END_HIGH(NOT_BELOW_ZERO))

/* Elements between the type's bounds; `run_positive`: from zero on. */
#define RUN_HIGH(NAME, ROWS, SLIDE_THREE, STEP_THREE, SLIDE_ROW)                                   \
    static inline __attribute__((always_inline)) void NAME(const filter *f, slide_run *r) {        \
        if (f->three && f->sliding) {                                                              \
            SLIDE_THREE(f, r);                                                                     \
        } else if (f->three) {                                                                     \
            STEP_THREE(f, r);                                                                      \
        } else if (f->sliding && f->rows == 1 && f->terms == FIVE) {                               \
            SLIDE_ROW(f, r);                                                                       \
        } else {                                                                                   \
            ROWS(f, r);                                                                            \
        }                                                                                          \
    }

RUN_HIGH(run_high, run_rows, slide_3x3, step_3x3, slide_nine)
RUN_HIGH(run_positive, positive_rows, slide_positive_3x3, step_positive_3x3, slide_positive_nine)
#endif

#else

static inline void run_high(const filter *f, slide_run *r) {
    run_in_c(f, r, 1);
}

static inline void run_positive(const filter *f, slide_run *r) {
    run_in_c(f, r, 2);
}

static inline void run_sums(const filter *f, slide_run *r) {
    run_in_c(f, r, 0);
}

#endif

#endif
