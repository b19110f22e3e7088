/* Four channels of int8 a pixel in assembly (dpl/cortex_m/channel_taps.h). An odd number of taps
 * begins with the second half of an iteration. */
#ifndef DPL_CORTEX_M_CHANNEL_TAPS_S8_H
#define DPL_CORTEX_M_CHANNEL_TAPS_S8_H

#define COUNT "subs %[count], %[count], #1\n"

/* Before a tap its elements are in e and o, its first word of weights in a, and x has the elements
 * of the next one. `w` is where the tap's words are. */
#define FIRST_TAP(NEXT)                                                                            \
    "ldr %[x], [%[at], %[f]]\n ldr %[f], [%[list], #4]" NEXT "\n"                                  \
    "ldr %[s1], [%[w], #20]\n ldr %[a], [%[w], #32]!\n"                                            \
    "sxtb16 %[e], %[x]\n ldr %[s0], [%[w], #-16]\n"                                                \
    "sxtb16 %[o], %[x], ror #8\n ldr %[s2], [%[w], #-8]\n"                                         \
    "ldr %[x], [%[at], %[f]]\n ldr %[s3], [%[w], #-4]\n"
#define TAP(NEXT)                                                                                  \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #4]\n"                                     \
    "smlatt %[s2], %[e], %[a], %[s2]\n ldr %[f], [%[list], #" NEXT "\n"                            \
    "sxtb16 %[e], %[x]\n smlabb %[s1], %[o], %[b], %[s1]\n"                                        \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[a], [%[w], #8]!\n"                                    \
    "sxtb16 %[o], %[x], ror #8\n ldr %[x], [%[at], %[f]]\n"
#define ONE_TAP TAP("4]!")
#define LIMIT(S) "ssat %[" S "], #8, %[" S "]\n"
/* Behind the taps the first two multipliers are in a and x, the zero point in e, and `w` is where
 * multipliers are. */
#define LAST_TAP                                                                                   \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #4]\n"                                     \
    "smlatt %[s2], %[e], %[a], %[s2]\n ldr %[x], [%[w], #12]\n"                                    \
    "smlabb %[s1], %[o], %[b], %[s1]\n ldr %[a], [%[w], #8]!\n"                                    \
    "smlatt %[s3], %[o], %[b], %[s3]\n ldr %[e], %[zero]\n"

#define NINE_TAPS                                                                                  \
    FIRST_TAP("")                                                                                  \
    TAP("8]") TAP("12]") TAP("16]") TAP("20]") TAP("24]") TAP("28]") TAP("32]") TAP("32]") LAST_TAP
#define SOME_TAPS                                                                                  \
    "ldr %[count], %[more]\n" FIRST_TAP("!") "lsrs %[count], %[count], #1\n bcc 3f\n"              \
                                             "2:\n" ONE_TAP "3:\n" COUNT ONE_TAP "bne 2b\n"        \
                                             "ldr %[x], [%[w], #4]\n ldr %[e], %[zero]\n"

/* Elements by themselves: in e, o, x and count. The products of two words of weights. */
#define ELEMENT_0 "0"
#define ELEMENT_1 "1"
#define ELEMENT_2 "2"
#define ELEMENT_3 "3"
#define SECOND_ELEMENT ELEMENT_OF("x", "2")
#define THIRD_ELEMENT ELEMENT_OF("o", "1")
#define LOAD "ldrsb "
#define FIRST_PRODUCTS(LOAD_0, LOAD_1)                                                             \
    "smlabb %[s0], %[e], %[a], %[s0]\n" LOAD_0 "smlabt %[s2], %[x], %[a], %[s2]\n" LOAD_1
#define SECOND_PRODUCTS(LOAD_0, LOAD_1)                                                            \
    "smlabb %[s1], %[o], %[b], %[s1]\n" LOAD_0 "smlabt %[s3], %[count], %[b], %[s3]\n" LOAD_1
#define LAST_ELEMENTS                                                                              \
    FIRST_PRODUCTS("ldr %[e], %[zero]\n", "ldr %[x], [%[w], #12]\n")                               \
    SECOND_PRODUCTS("ldr %[a], [%[w], #8]!\n", "")
#define AFTER_ELEMENTS "ldr %[x], [%[w], #4]\n ldr %[e], %[zero]\n"

/* Four sums to outputs; the list begins anew where that is said. */
#define FOUR_OUTPUTS(LANES, AGAIN, BOUND)                                                          \
    "ldr %[b], [%[w], #8]\n ldr %[o], [%[w], #12]\n"                                               \
    "smmlar %[s0], %[s0], %[a], %[e]\n ldr %[count], %[to]\n"                                      \
    "smmlar %[s1], %[s1], %[x], %[e]\n ldr %[a], %[step]\n"                                        \
    "smmlar %[s2], %[s2], %[b], %[e]\n add %[at], %[at], #" #LANES                                 \
    "\n" BOUND("s0") "smmlar %[s3], %[s3], %[o], %[e]\n" BOUND(                                    \
        "s1") "ldr %[e], %[end]\n"                                                                 \
              "add %[x], %[count], %[a], lsl #1\n" STORE " %[s0], [%[count]]\n" BOUND("s2") STORE  \
        " %[s1], [%[count], %[a]]\n" BOUND("s3") AGAIN                                             \
        "cmp %[at], %[e]\n"                                                                        \
        "add %[count], %[x], %[a], lsl #1\n" STORE " %[s2], [%[x]]\n"                              \
        "ldr %[f], [%[list]]\n" STORE " %[s3], [%[x], %[a]]\n str %[count], %[to]\n"

#endif
