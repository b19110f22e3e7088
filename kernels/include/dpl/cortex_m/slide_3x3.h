/* Depthwise 3x3 of dpl/cortex_m/slide.h: the rows of a block written out, the beginning of one
 * block within the end of the one before.
 *
 * A block takes 36 cycles where it slides, 40 elsewhere: 24 products and 4 for requantization, one
 * a cycle, and 4 stores, since no product issues beside a store. Everything else issues beside
 * these, saturation as the older one of its pair. Words are loaded two cycles before a product
 * takes them. What does not fit the registers is on the stack. */
#ifndef DPL_CORTEX_M_SLIDE_3X3_H
#define DPL_CORTEX_M_SLIDE_3X3_H

#define FROM(S, X, W, ADDEND) "smlad %[" S "], %[" X "], %[" W "], %[" ADDEND "]\n"
#define FROM_TB(S, X, W, ADDEND) "smlatb %[" S "], %[" X "], %[" W "], %[" ADDEND "]\n"
#define MAC_BB(S, X, W) "smlabb %[" S "], %[" X "], %[" W "], %[" S "]\n"
#define TAP(W, N) "ldr %[" W "], [%[w], #16*" N "]\n"
#define GET(X, NAME) "ldr %[" X "], %[" NAME "]\n"
#define ADD_TO(X, Y) "add %[" X "], %[" X "], %[" Y "]\n"
#define SCALE(S, M, ZERO) "smmlar %[" S "], %[" S "], %[" M "], %[" ZERO "]\n"
#define PUT(S, WHERE) STORE " %[" S "], [" WHERE "]\n"
#define SECOND_HALF(TO, OUT, APART) "add %[" TO "], %[" OUT "], %[" APART "], lsl #1\n"
/* The list is a block ahead: this one's output, the same when that of the next has been read. */
#define THIS_OUT "ldr %[out], [%[list], #-8]\n"
#define NEXT_X "ldr %[x], [%[list]], #12\n"
#define LAST_OUT "ldr %[out], [%[list], #-20]\n"

/* Sliding: words a, b, c of a row, taps (w0, w1) in e and (w1, w2) in o. */
#define SLIDE_FIRST_ROW                                                                            \
    FROM("s0", "a", "e", "c")                                                                      \
    TAP("o", "1")                                                                                  \
    FROM("s2", "b", "e", "c")                                                                      \
    GET("t", "row")                                                                                \
    FROM_TB("s1", "a", "e", "c")                                                                   \
    THIS_OUT                                                                                       \
    FROM_TB("s3", "b", "e", "c")                                                                   \
    WORD("c", "2")                                                                                 \
    MAC("s1", "b", "o")                                                                            \
    ADD_TO("x", "t")                                                                               \
    MAC("s3", "c", "o")                                                                            \
    TAP("e", "2")                                                                                  \
    MAC_BT("s0", "b", "o")                                                                         \
    WORD("a", "0")                                                                                 \
    MAC_BT("s2", "c", "o")                                                                         \
    WORD("b", "1")

#define SLIDE_SECOND_ROW                                                                           \
    MAC("s0", "a", "e")                                                                            \
    WORD("c", "2")                                                                                 \
    MAC("s2", "b", "e")                                                                            \
    TAP("o", "3")                                                                                  \
    MAC_TB("s1", "a", "e")                                                                         \
    ADD_TO("x", "t")                                                                               \
    MAC_TB("s3", "b", "e")                                                                         \
    GET("t", "outputs")                                                                            \
    MAC("s1", "b", "o")                                                                            \
    ADD_TO("out", "t")                                                                             \
    MAC("s3", "c", "o")                                                                            \
    TAP("e", "4")                                                                                  \
    MAC_BT("s0", "b", "o")                                                                         \
    WORD("a", "0")                                                                                 \
    MAC_BT("s2", "c", "o")                                                                         \
    WORD("b", "1")

#define SLIDE_THIRD_ROW                                                                            \
    MAC("s0", "a", "e")                                                                            \
    WORD("c", "2")                                                                                 \
    MAC("s2", "b", "e")                                                                            \
    TAP("o", "5")                                                                                  \
    MAC_TB("s1", "a", "e")                                                                         \
    NEXT_X                                                                                         \
    MAC_TB("s3", "b", "e")                                                                         \
    GET("a", "m")                                                                                  \
    MAC("s1", "b", "o")                                                                            \
    GET("e", "zero")                                                                               \
    MAC("s3", "c", "o")                                                                            \
    GET("t", "words")                                                                              \
    MAC_BT("s0", "b", "o")                                                                         \
    GET("b", "apart")                                                                              \
    MAC_BT("s2", "c", "o")                                                                         \
    ADD_TO("x", "t")

#define SLIDE_END(BOUND)                                                                           \
    SCALE("s1", "a", "e")                                                                          \
    SECOND_HALF("o", "out", "b")                                                                   \
    SCALE("s3", "a", "e")                                                                          \
    GET("t", "end")                                                                                \
    BOUND("s1")                                                                                    \
    SCALE("s0", "a", "e")                                                                          \
    BOUND("s3")                                                                                    \
    SCALE("s2", "a", "e")                                                                          \
    BOUND("s0")                                                                                    \
    WORD("a", "0")                                                                                 \
    BOUND("s2")                                                                                    \
    PUT("s1", "%[out], %[b]")                                                                      \
    PUT("s3", "%[o], %[b]")                                                                        \
    TAP("e", "0")                                                                                  \
    PUT("s0", "%[out]")                                                                            \
    WORD("b", "1")                                                                                 \
    PUT("s2", "%[o]")                                                                              \
    GET("c", "bias")                                                                               \
    "cmp %[list], %[t]\n bne 1b\n"

/* Elsewhere: words p, q, r, p, q of a row, taps (w0, w1) in e and (w2, 0) in o. FIRST: the addend
 * of the first products, the same sums but in the first row. Row r + 1 begins in r and p. */
#define STEP_ROW(P, Q, R, ADDENDS, ODD, NEXT)                                                      \
    ADDENDS("s0", P)                                                                               \
    TAP("o", ODD)                                                                                  \
    ADDENDS("s1", Q)                                                                               \
    WORD(R, "2")                                                                                   \
    MAC_BB("s0", Q, "o")                                                                           \
    WORD(P, "3")                                                                                   \
    MAC_BB("s1", R, "o")                                                                           \
    WORD(Q, "4")                                                                                   \
    ADDENDS("s2", R)                                                                               \
    NEXT(P, Q, R)

#define BIASED(S, X) FROM(S, X, "e", "out")
#define SUMMED(S, X) MAC(S, X, "e")
#define ROW_FOLLOWS(ADDENDS, EVEN, P, Q, R)                                                        \
    "ldr %[" R "], [%[x], %[t]]\n" MAC_BB("s2", P, "o") ADD_TO("x", "t") ADDENDS("s3", P)          \
        TAP("e", EVEN) MAC_BB("s3", Q, "o") WORD(P, "1")
#define SECOND_FOLLOWS(P, Q, R) ROW_FOLLOWS(BIASED, "2", P, Q, R)
#define THIRD_FOLLOWS(P, Q, R) ROW_FOLLOWS(SUMMED, "4", P, Q, R)

/* Behind the last row, whose words are in q, r, p, q, r. */
#define STEP_END_BY(BOUND, Q, R, P)                                                                \
    GET(P, "m")                                                                                    \
    MAC_BB("s2", Q, "o")                                                                           \
    NEXT_X                                                                                         \
    SUMMED("s3", Q)                                                                                \
    GET("e", "zero")                                                                               \
    MAC_BB("s3", R, "o")                                                                           \
    LAST_OUT                                                                                       \
    SCALE("s0", P, "e")                                                                            \
    GET(Q, "outputs")                                                                              \
    SCALE("s1", P, "e")                                                                            \
    GET("t", "words")                                                                              \
    BOUND("s0")                                                                                    \
    SCALE("s2", P, "e")                                                                            \
    BOUND("s1")                                                                                    \
    SCALE("s3", P, "e")                                                                            \
    BOUND("s2")                                                                                    \
    ADD_TO("out", Q)                                                                               \
    BOUND("s3")                                                                                    \
    GET(R, "apart")                                                                                \
    PUT("s0", "%[out]")                                                                            \
    ADD_TO("x", "t")                                                                               \
    SECOND_HALF("o", "out", R)                                                                     \
    PUT("s1", "%[out], %[" R "]")                                                                  \
    PUT("s2", "%[o]")                                                                              \
    GET("t", "end")                                                                                \
    PUT("s3", "%[o], %[" R "]")                                                                    \
    WORD("p", "0")                                                                                 \
    "cmp %[list], %[t]\n" WORD("q", "1") TAP("e", "0") GET("out", "bias") GET("t", "row") "bne "   \
                                                                                          "1b\n"
#define STEP_END(Q, R, P) STEP_END_BY(LIMIT, Q, R, P)
#define STEP_END_POSITIVE(Q, R, P) STEP_END_BY(NOT_BELOW_ZERO, Q, R, P)

#define STEP_ROWS(END)                                                                             \
    STEP_ROW("p", "q", "r", BIASED, "1", SECOND_FOLLOWS)                                           \
    STEP_ROW("r", "p", "q", SUMMED, "3", THIRD_FOLLOWS)                                            \
    STEP_ROW("q", "r", "p", SUMMED, "5", END)

#define FIRST_OF_LIST GET("t", "words") NEXT_X TAP("e", "0") ADD_TO("x", "t")
#define THREE_RUN                                                                                  \
    [x] "=&r"(x), [list] "+r"(list), [out] "=&r"(out), [e] "=&r"(e), [o] "=&r"(o), [t] "=&r"(t)
#define THREE_GIVEN                                                                                \
    [w] "r"(r->w), [row] "m"(row), [bias] "m"(r->bias), [m] "m"(r->multiplier),                    \
        [zero] "m"(r->zero), [apart] "m"(r->pitch), [words] "m"(r->x), [outputs] "m"(r->out),      \
        [end] "m"(end)

#define SLIDE_BLOCKS(NAME, BODY)                                                                   \
    static inline __attribute__((always_inline)) void NAME(const filter *f, const slide_run *r) {  \
        const int32_t row = f->pitch;                                                              \
        const block *list = r->list, *const end = r->end + 1;                                      \
        const uint32_t *x;                                                                         \
        int32_t s0, s1, s2, s3;                                                                    \
        uint32_t a, b, c, e, o, out, t;                                                            \
        __asm__ volatile(FIRST_OF_LIST GET("c", "bias") WORD("a", "0") WORD("b", "1") "1:\n" BODY  \
                         : SUMS, THREE_RUN, [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c)               \
                         : THREE_GIVEN                                                             \
                         : "cc", "memory");                                                        \
    }
#define SLIDE_ROWS(BOUND) SLIDE_FIRST_ROW SLIDE_SECOND_ROW SLIDE_THIRD_ROW SLIDE_END(BOUND)

#define STEP_THREE(NAME, END)                                                                      \
    static inline __attribute__((always_inline)) void NAME(const filter *f, const slide_run *r) {  \
        const int32_t row = f->pitch;                                                              \
        const block *list = r->list, *const end = r->end + 1;                                      \
        const uint32_t *x;                                                                         \
        int32_t s0, s1, s2, s3;                                                                    \
        uint32_t p, q, r3, e, o, out, t;                                                           \
        __asm__ volatile(FIRST_OF_LIST GET("out", "bias") GET("t", "row") WORD("p", "0")           \
                             WORD("q", "1") "1:\n" STEP_ROWS(END)                                  \
                         : SUMS, THREE_RUN, [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r3)              \
                         : THREE_GIVEN                                                             \
                         : "cc", "memory");                                                        \
    }

SLIDE_BLOCKS(slide_3x3, SLIDE_ROWS(LIMIT))
SLIDE_BLOCKS(slide_positive_3x3, SLIDE_ROWS(NOT_BELOW_ZERO))
STEP_THREE(step_3x3, STEP_END)
STEP_THREE(step_positive_3x3, STEP_END_POSITIVE)

#endif
