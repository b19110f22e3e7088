/* Four channels of int16 a pixel in assembly (dpl/cortex_m/channel_taps.h): a load stands beside
 * each product.
 *
 * Before a tap its elements are in e and o and its weights in a and b. Behind the taps a, b and o
 * are the first three multipliers, e the zero point, and w is where multipliers are. */
#ifndef DPL_CORTEX_M_CHANNEL_TAPS_S16_H
#define DPL_CORTEX_M_CHANNEL_TAPS_S16_H

#define LIMIT(S) "ssat %[" S "], #16, %[" S "]\n"
#define NOT_BELOW_ZERO(S) "usat %[" S "], #15, %[" S "]\n"

/* Loads of weights in pairs of different banks. `w` is where the tap's words are. */
#define FIRST_TAP                                                                                  \
    "add %[x], %[at], #4\n ldr %[e], [%[at], %[f]]\n"                                              \
    "ldr %[s0], [%[w], #16]\n ldr %[s3], [%[w], #28]\n"                                            \
    "ldr %[s1], [%[w], #20]\n ldr %[s2], [%[w], #24]\n"                                            \
    "ldr %[a], [%[w], #32]!\n ldr %[o], [%[x], %[f]]\n"

/* Four cycles and the last load, beside which stands what follows. */
#define ONE_TAP                                                                                    \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[f], [%[list], #4]!\n"                                 \
    "smlatt %[s1], %[e], %[a], %[s1]\n ldr %[a], [%[w], #8]!\n"                                    \
    "smlabb %[s2], %[o], %[b], %[s2]\n ldr %[e], [%[at], %[f]]\n"                                  \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[b], [%[w], #4]\n"                                     \
    "ldr %[o], [%[x], %[f]]\n"
#define SOME_TAPS                                                                                  \
    "ldr %[count], %[more]\n" FIRST_TAP "ldr %[b], [%[w], #4]\n"                                   \
    "lsrs %[count], %[count], #1\n bcs 2f\n"                                                       \
    "subs %[count], %[count], #1\n" ONE_TAP "beq 3f\n"                                             \
    "2:\n" ONE_TAP "subs %[count], %[count], #1\n" ONE_TAP "bne 2b\n"                              \
    "3:\n ldr %[e], %[zero]\n ldr %[o], [%[w], #8]\n"

/* Of nine the count is not needed: where the taps after the next two lie is read at once, so that a
 * tap takes 4 cycles and a half. */
#define TAP_OF_NINE(NEXT)                                                                          \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #4]\n"                                     \
    "smlatt %[s1], %[e], %[a], %[s1]\n ldr %[a], [%[w], #8]!\n"                                    \
    "smlabb %[s2], %[o], %[b], %[s2]\n ldr %[e], [%[at], %[" NEXT "]]\n"                           \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[o], [%[x], %[" NEXT "]]\n"
#define TWO_OF_NINE(AT)                                                                            \
    "ldrd %[f], %[count], [%[list], #" AT "]\n" TAP_OF_NINE("f") TAP_OF_NINE("count")
#define LAST_TAP                                                                                   \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #4]\n"                                     \
    "smlatt %[s1], %[e], %[a], %[s1]\n ldr %[a], [%[w], #8]!\n"                                    \
    "smlabb %[s2], %[o], %[b], %[s2]\n ldr %[e], %[zero]\n"                                        \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[b], [%[w], #4]\n ldr %[o], [%[w], #8]\n"
#define NINE_TAPS                                                                                  \
    FIRST_TAP TWO_OF_NINE("4") TWO_OF_NINE("12") TWO_OF_NINE("20") TWO_OF_NINE("28") LAST_TAP

/* Elements by themselves: in e, o, x and count. The products of two words of weights. */
#define ELEMENT_0 "0"
#define ELEMENT_1 "2"
#define ELEMENT_2 "4"
#define ELEMENT_3 "6"
#define SECOND_ELEMENT ELEMENT_OF("o", "2")
#define THIRD_ELEMENT ELEMENT_OF("x", "4")
#define LOAD "ldrsh "
#define FIRST_PRODUCTS(LOAD_0, LOAD_1)                                                             \
    "smlabb %[s0], %[e], %[a], %[s0]\n" LOAD_0 "smlabt %[s1], %[o], %[a], %[s1]\n" LOAD_1
#define SECOND_PRODUCTS(LOAD_0, LOAD_1)                                                            \
    "smlabb %[s2], %[x], %[b], %[s2]\n" LOAD_0 "smlabt %[s3], %[count], %[b], %[s3]\n" LOAD_1
#define LAST_ELEMENTS                                                                              \
    FIRST_PRODUCTS("ldr %[e], %[zero]\n", "ldr %[a], [%[w], #8]!\n")                               \
    SECOND_PRODUCTS("ldr %[o], [%[w], #8]\n", "ldr %[b], [%[w], #4]\n")
#define AFTER_ELEMENTS "ldr %[e], %[zero]\n ldr %[o], [%[w], #8]\n"

/* Four sums to outputs; the list begins anew where that is said. A limit takes its operand three
 * cycles after the product, a store takes the limit's two cycles later. */
#define FOUR_OUTPUTS(LANES, AGAIN, BOUND)                                                          \
    "smmlar %[s0], %[s0], %[a], %[e]\n ldr %[x], [%[w], #12]\n"                                    \
    "smmlar %[s1], %[s1], %[b], %[e]\n ldr %[a], %[step]\n"                                        \
    "smmlar %[s2], %[s2], %[o], %[e]\n ldr %[count], %[to]\n"                                      \
    "smmlar %[s3], %[s3], %[x], %[e]\n" BOUND("s0") "add %[at], %[at], #2*" #LANES "\n" BOUND(     \
        "s1") "ldr %[e], %[end]\n add %[x], %[count], %[a], lsl #1\n" STORE                        \
              " %[s0], [%[count]]\n" BOUND("s2") STORE " %[s1], [%[count], %[a]]\n" BOUND("s3")    \
                  AGAIN "cmp %[at], %[e]\n"                                                        \
                        "add %[count], %[x], %[a], lsl #1\n" STORE " %[s2], [%[x]]\n"              \
                        "ldr %[f], [%[list]]\n" STORE                                              \
                        " %[s3], [%[x], %[a]]\n str %[count], %[to]\n"

#endif
