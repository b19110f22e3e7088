/* One row of up to nine taps of dpl/cortex_m/slide.h that slides, its five terms written out, the
 * beginning of one block within the end of the one before.
 *
 * A block takes 33 cycles: 20 products and 4 for requantization, one a cycle, and 4 stores, since
 * no product issues beside a store. Loads and the walk issue beside these as in
 * dpl/cortex_m/slide_3x3.h, whose words this has. */
#ifndef DPL_CORTEX_M_SLIDE_ROW_H
#define DPL_CORTEX_M_SLIDE_ROW_H

/* A term of the words A and B and the taps in e and o: word N comes to C, the next taps to e. */
#define ROW_TERM(A, B, C, N, ODD, EVEN, BESIDE)                                                    \
    MAC("s0", A, "e")                                                                              \
    TAP("o", ODD)                                                                                  \
    MAC("s2", B, "e")                                                                              \
    BESIDE                                                                                         \
    MAC("s1", A, "o")                                                                              \
    TAP("e", EVEN)                                                                                 \
    MAC("s3", B, "o")                                                                              \
    WORD(C, N)

/* The sums begin with the bias, which is in c. */
#define FIRST_ROW_TERM                                                                             \
    FROM("s0", "a", "e", "c")                                                                      \
    TAP("o", "1")                                                                                  \
    FROM("s2", "b", "e", "c")                                                                      \
    THIS_OUT                                                                                       \
    FROM("s1", "a", "o", "c")                                                                      \
    TAP("e", "2")                                                                                  \
    FROM("s3", "b", "o", "c")                                                                      \
    WORD("c", "2")

#define LAST_ROW_TERM                                                                              \
    MAC("s0", "b", "e")                                                                            \
    TAP("o", "9")                                                                                  \
    MAC("s2", "c", "e")                                                                            \
    NEXT_X                                                                                         \
    GET("a", "m")                                                                                  \
    MAC("s1", "b", "o")                                                                            \
    GET("e", "zero")                                                                               \
    MAC("s3", "c", "o")                                                                            \
    GET("t", "words")

#define ROW_END(BOUND)                                                                             \
    SCALE("s0", "a", "e")                                                                          \
    GET("b", "apart")                                                                              \
    SCALE("s2", "a", "e")                                                                          \
    ADD_TO("x", "t")                                                                               \
    SCALE("s1", "a", "e")                                                                          \
    GET("t", "end")                                                                                \
    BOUND("s0")                                                                                    \
    SCALE("s3", "a", "e")                                                                          \
    BOUND("s2")                                                                                    \
    WORD("a", "0")                                                                                 \
    BOUND("s1")                                                                                    \
    SECOND_HALF("o", "out", "b")                                                                   \
    BOUND("s3")                                                                                    \
    PUT("s0", "%[out]")                                                                            \
    TAP("e", "0")                                                                                  \
    PUT("s2", "%[o]")                                                                              \
    GET("c", "bias")                                                                               \
    PUT("s1", "%[out], %[b]")                                                                      \
    "cmp %[list], %[t]\n" PUT("s3", "%[o], %[b]") WORD("b", "1") "bne 1b\n"

#define SLIDE_ONE_ROW(BOUND)                                                                       \
    FIRST_ROW_TERM                                                                                 \
    ROW_TERM("b", "c", "a", "3", "3", "4", GET("t", "outputs"))                                    \
    ROW_TERM("c", "a", "b", "4", "5", "6", ADD_TO("out", "t"))                                     \
    ROW_TERM("a", "b", "c", "5", "7", "8", "")                                                     \
    LAST_ROW_TERM                                                                                  \
    ROW_END(BOUND)

SLIDE_BLOCKS(slide_nine, SLIDE_ONE_ROW(LIMIT))
SLIDE_BLOCKS(slide_positive_nine, SLIDE_ONE_ROW(NOT_BELOW_ZERO))

#endif
