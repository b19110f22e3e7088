/* Four channels a pixel at any address, one output of each (dpl/cortex_m/channel_taps.h). */
#ifndef DPL_CORTEX_M_CHANNEL_TAPS_ELEMENTS_H
#define DPL_CORTEX_M_CHANNEL_TAPS_ELEMENTS_H

/* Taps at any address, elements by themselves, since a word that crosses a boundary takes 3 or 4
 * cycles more: 6 cycles a tap. The list has steps: `at` is where the next tap lies. Elements of the
 * next tap are loaded beside the products of one. */
#define BEGIN_ELEMENTS(NEXT)                                                                       \
    ELEMENT_OF("e", ELEMENT_0)                                                                     \
    "ldr %[s0], [%[w], #16]\n" ELEMENT_OF("o", ELEMENT_1) "ldr %[s1], [%[w], #20]\n" ELEMENT_OF(   \
        "x",                                                                                       \
        ELEMENT_2) "ldr %[s2], [%[w], #24]\n" ELEMENT_OF("count",                                  \
                                                         ELEMENT_3) "ldr %[s3], [%[w], #28]\n"     \
                                                                    "add %[at], %[at], %[f]\n "    \
                                                                    "ldr %[a], [%[w], #32]!\n"     \
                                                                    "ldr %[f], [%[list], #4]" NEXT \
                                                                    "\n ldr %[b], [%[w], #4]\n"
#define PRODUCTS_OF_ELEMENTS                                                                       \
    FIRST_PRODUCTS(ELEMENT_OF("e", ELEMENT_0), SECOND_ELEMENT)                                     \
    SECOND_PRODUCTS(THIRD_ELEMENT, ELEMENT_OF("count", ELEMENT_3))                                 \
    "ldr %[b], [%[w], #12]\n ldr %[a], [%[w], #8]!\n add %[at], %[at], %[f]\n"
#define ONE_ELEMENT(NEXT) PRODUCTS_OF_ELEMENTS "ldr %[f], [%[list], #" NEXT "\n"
#define NINE_ELEMENTS                                                                              \
    BEGIN_ELEMENTS("")                                                                             \
    ONE_ELEMENT("8]")                                                                              \
    ONE_ELEMENT("12]")                                                                             \
    ONE_ELEMENT("16]")                                                                             \
    ONE_ELEMENT("20]")                                                                             \
    ONE_ELEMENT("24]") ONE_ELEMENT("28]") ONE_ELEMENT("32]") PRODUCTS_OF_ELEMENTS LAST_ELEMENTS

/* Two taps an iteration; an odd number of them begins with its second half. */
#define SOME_ELEMENTS                                                                              \
    BEGIN_ELEMENTS("!")                                                                            \
    "ldr %[f], %[more]\n lsls %[f], %[f], #31\n ldr %[f], [%[list]]\n beq 3f\n"                    \
    "2:\n" ONE_ELEMENT("4]!") "3:\n" PRODUCTS_OF_ELEMENTS                                          \
                              "ldr %[f], %[other]\n cmp %[list], %[f]\n ldr %[f], [%[list], "      \
                              "#4]!\n bne 2b\n" AFTER_ELEMENTS

#endif
