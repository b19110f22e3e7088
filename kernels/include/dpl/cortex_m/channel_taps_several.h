/* Four outputs of one channel, or two of each of two channels, from elements that are loaded once
 * for them (dpl/cortex_m/channel_taps.h). Weights as the layout "taps_x4" has them: four biases,
 * for each tap int16 of the four outputs, four multipliers.
 *
 * A tap of one channel takes 4 cycles, a load beside each product, and of nine so does one of a
 * word of two channels of int16. Of two others it takes 5 in a loop, whose count stands beside what
 * waits for the elements; of nine 4 and a half, since where the next two lie is in two registers.
 * What begins and ends four outputs takes 16. */
#ifndef DPL_CORTEX_M_CHANNEL_TAPS_SEVERAL_H
#define DPL_CORTEX_M_CHANNEL_TAPS_SEVERAL_H

/* Sums begin with the biases; the first words of weights come to a and b. */
#define BEGIN_SUMS                                                                                 \
    "ldr %[s0], [%[w], #16]\n ldr %[s1], [%[w], #20]\n"                                            \
    "ldr %[s2], [%[w], #24]\n ldr %[s3], [%[w], #28]\n ldr %[a], [%[w], #32]!\n"
#define COUNT_TAPS "lsrs %[count], %[count], #1\n bcc 3f\n"
#define LOOP_TAPS(FIRST, SECOND)                                                                   \
    COUNT_TAPS "2:\n" FIRST "3:\n subs %[count], %[count], #1\n" SECOND "bne 2b\n"                 \
               "ldr %[x], [%[w], #4]\n ldr %[e], %[zero]\n"

/* One channel: its element of the tap is in E, where the next one lies in f, which comes to O. Of
 * two channels of int16 that fill a word these come at once. */
#define TAP_OF_ELEMENT(GET, THIRD, FOURTH, E, O, NEXT)                                             \
    "smlabb %[s0], %[" E "], %[a], %[s0]\n " GET "%[" O "], [%[at], %[f]]\n"                       \
    "smlabt %[s1], %[" E "], %[a], %[s1]\n ldr %[a], [%[w], #8]!\n" THIRD " %[s2], %[" E           \
    "], %[b], %[s2]\n ldr %[f], [%[list], #" NEXT "\n" FOURTH " %[s3], %[" E                       \
    "], %[b], %[s3]\n ldr %[b], [%[w], #4]\n"
#define TAP_OF_ONE(E, O, NEXT) TAP_OF_ELEMENT(LOAD, "smlabb", "smlabt", E, O, NEXT)
#define TAP_OF_WORD(E, O, NEXT) TAP_OF_ELEMENT("ldr ", "smlatb", "smlatt", E, O, NEXT)
#define TWO_OF_ONE(NEXT, AFTER) TAP_OF_ONE("e", "o", NEXT) TAP_OF_ONE("o", "e", AFTER)
#define SOME_OF_ONE                                                                                \
    LOAD "%[e], [%[at], %[f]]\n ldr %[count], %[more]\n " LOAD "%[o], [%[at], %[f]]\n" BEGIN_SUMS  \
         "ldr %[f], [%[list], #4]!\n ldr %[b], [%[w], #4]\n" LOOP_TAPS(                            \
             TAP_OF_ONE("e", "o", "4]!"), TAP_OF_ONE("o", "e", "4]!"))
#define EIGHT(TWO) TWO("8]", "12]") TWO("16]", "20]") TWO("24]", "28]") TWO("32]", "32]")
#define NINE_OF(GET, TWO, THIRD, FOURTH)                                                           \
    GET "%[e], [%[at], %[f]]\n ldr %[f], [%[list], #4]\n" BEGIN_SUMS                               \
        "ldr %[b], [%[w], #4]\n" EIGHT(TWO) LAST_OF(THIRD, FOURTH, "e", "")
#define NINE_OF_ONE NINE_OF(LOAD, TWO_OF_ONE, "smlabb", "smlabt")
#define TWO_OF_WORD(NEXT, AFTER) TAP_OF_WORD("e", "o", NEXT) TAP_OF_WORD("o", "e", AFTER)
#define NINE_OF_WORD NINE_OF("ldr ", TWO_OF_WORD, "smlatb", "smlatt")

/* The last tap, whose second word of weights GET loads. O: the element of the third and the fourth
 * output. Behind the taps the first two multipliers are in a and x, the zero point in e, and `w` is
 * where multipliers are. */
#define LAST_OF(THIRD, FOURTH, O, GET)                                                             \
    "smlabb %[s0], %[e], %[a], %[s0]\n" GET "smlabt %[s1], %[e], %[a], %[s1]\n"                    \
    "ldr %[a], [%[w], #8]!\n" THIRD " %[s2], %[" O                                                 \
    "], %[b], %[s2]\n ldr %[x], [%[w], #4]\n" FOURTH " %[s3], %[" O                                \
    "], %[b], %[s3]\n ldr %[e], %[zero]\n"

/* Four sums to outputs that lie next to each other. A limit takes its operand three cycles after
 * the product, a store takes the limit's two cycles later. */
#define FOUR_OUTPUTS_SHARED(LANES, AGAIN, BOUND)                                                   \
    "smmlar %[s0], %[s0], %[a], %[e]\n ldr %[b], [%[w], #8]\n"                                     \
    "smmlar %[s1], %[s1], %[x], %[e]\n ldr %[o], [%[w], #12]\n"                                    \
    "add %[at], %[at], #" #LANES "*" ELEMENT_1 "\n ldr %[count], %[to]\n"                          \
    "smmlar %[s2], %[s2], %[b], %[e]\n ldr %[a], %[end]\n" BOUND(                                  \
        "s0") "smmlar %[s3], %[s3], %[o], %[e]\n" AHEAD(LANES) BOUND("s1") PUT_FIRST(LANES)        \
        BOUND("s2") PUT(LANES, "s1", 1) BOUND("s3") AGAIN                                          \
        "cmp %[at], %[a]\n" PUT(LANES, "s2", 2) "ldr %[f], [%[list]]\n" PUT(LANES, "s3", 3)        \
            TO_NEXT_FOUR(LANES) "str %[count], %[to]\n"

/* The next four follow these where they are of two channels, else lie so far ahead. */
#define AHEAD(LANES) AHEAD_##LANES
#define AHEAD_2 ""
#define AHEAD_1 "ldr %[b], %[other]\n"
#define PUT_FIRST(LANES) PUT_FIRST_##LANES
#define PUT_FIRST_2 STORE " %[s0], [%[count]], #4*" ELEMENT_1 "\n"
#define PUT_FIRST_1 STORE " %[s0], [%[count]]\n"
#define PUT(LANES, S, I) PUT_##LANES(S, I)
#define PUT_2(S, I) STORE " %[" S "], [%[count], #(" #I "-4)*" ELEMENT_1 "]\n"
#define PUT_1(S, I) STORE " %[" S "], [%[count], #" #I "*" ELEMENT_1 "]\n"
#define TO_NEXT_FOUR(LANES) TO_NEXT_FOUR_##LANES
#define TO_NEXT_FOUR_2 ""
#define TO_NEXT_FOUR_1 "add %[count], %[count], %[b]\n"

/* Two channels, whose elements of the tap are in e and o; x is where the second one lies. */
#define BEGIN_TWO(COUNT, FIRST)                                                                    \
    "add %[x], %[at], #" ELEMENT_1 "\n " LOAD "%[e], [%[at], %[f]]\n" COUNT BEGIN_SUMS LOAD        \
    "%[o], [%[x], %[f]]\n" FIRST
#define TAP_OF_TWO                                                                                 \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[f], [%[list], #4]!\n"                                 \
    "smlabt %[s1], %[e], %[a], %[s1]\n ldr %[a], [%[w], #8]!\n"                                    \
    "smlabb %[s2], %[o], %[b], %[s2]\n " LOAD "%[e], [%[at], %[f]]\n"                              \
    "smlabt %[s3], %[o], %[b], %[s3]\n " LOAD "%[o], [%[x], %[f]]\n ldr %[b], [%[w], #4]\n"
#define SOME_OF_TWO                                                                                \
    BEGIN_TWO("ldr %[count], %[more]\n", "ldr %[b], [%[w], #4]\n") LOOP_TAPS(TAP_OF_TWO, TAP_OF_TWO)

/* The next tap lies where F says. Of two taps these come at once: neighbours lie in two banks. */
#define TAP_OF_NINE_OF_TWO(F)                                                                      \
    "smlabb %[s0], %[e], %[a], %[s0]\n ldr %[b], [%[w], #4]\n"                                     \
    "smlabt %[s1], %[e], %[a], %[s1]\n " LOAD "%[e], [%[at], %[" F "]]\n"                          \
    "smlabb %[s2], %[o], %[b], %[s2]\n ldr %[a], [%[w], #8]!\n"                                    \
    "smlabt %[s3], %[o], %[b], %[s3]\n " LOAD "%[o], [%[x], %[" F "]]\n"
#define TWO_TAPS_OF_TWO(NEXT, AFTER)                                                               \
    "ldr %[f], [%[list], #" NEXT "]\n ldr %[count], [%[list], #" AFTER                             \
    "]\n" TAP_OF_NINE_OF_TWO("f") TAP_OF_NINE_OF_TWO("count")
#define NINE_OF_TWO                                                                                \
    BEGIN_TWO("", "")                                                                              \
    TWO_TAPS_OF_TWO("4", "8")                                                                      \
    TWO_TAPS_OF_TWO("12", "16")                                                                    \
    TWO_TAPS_OF_TWO("20", "24")                                                                    \
    TWO_TAPS_OF_TWO("28", "32") LAST_OF("smlabb", "smlabt", "o", "ldr %[b], [%[w], #4]\n")

#endif
