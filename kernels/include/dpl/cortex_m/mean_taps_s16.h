/* Sums over the taps of windows, int16, of eight neighbours at a time, and what makes outputs of
 * them, for mean_taps.h. */
#ifndef DPL_CORTEX_M_MEAN_TAPS_TYPE_H
#define DPL_CORTEX_M_MEAN_TAPS_TYPE_H

#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"

#include "dpl/cortex_m/blocking.h"

enum { GROUP = DPL_POOL_GROUP_BYTES / sizeof(int16_t) };
#define HALVES 1

#if defined(__ARM_FEATURE_DSP)

#define LINE_LOAD "ldrsh"
#define LINE_STORE "strh"
#define BYTES "2"
#define LIMIT "16"
#define LOAD(X, AT) "ldr %[" X "], [%[x], #" AT "]\n"
#define NEXT_STEP "ldr %[d], [%[list]], #4\n"
#define MOVE_ON "add %[x], %[x], %[d]\n"
#define ADD_LOW(S, X) "sxtah %[" S "], %[" S "], %[" X "]\n"
#define ADD_HIGH(S, X) "smlatb %[" S "], %[" X "], %[k], %[" S "]\n"
#define LOW(S, X) "sxth %[" S "], %[" X "]\n"
#define HIGH(S) "asr %[" S "], %[" S "], #16\n"

/* Of a word's halves sxtah adds one, the older of a pair, and a product with `k`, 1, the other. A
 * tap begins with two of its words loaded, t and u, and ends with those of the next, if any: seven
 * cycles. A word is extended or a factor two cycles after its load. */
#define WORDS LOAD("t", "0") LOAD("u", "4")
#define TAP(NEXT_T, NEXT_U)                                                                        \
    ADD_LOW("s0", "t")                                                                             \
    NEXT_STEP ADD_HIGH("s1", "t") LOAD("t", "8") ADD_LOW("s2", "u") ADD_HIGH("s3", "u")            \
        ADD_LOW("s4", "t") LOAD("u", "12") MOVE_ON ADD_HIGH("s5", "t") ADD_LOW("s6", "u")          \
            NEXT_T ADD_HIGH("s7", "u") NEXT_U
#define TAP_THEN TAP(LOAD("t", "0"), LOAD("u", "4"))
#define LAST_TAP TAP("", "")
#define FIRST_TAP                                                                                  \
    LOAD("s1", "0")                                                                                \
    LOAD("s3", "4")                                                                                \
    LOAD("s5", "8")                                                                                \
    LOAD("s7", "12")                                                                               \
    NEXT_STEP LOW("s0", "s1") HIGH("s1") LOW("s2", "s3") HIGH("s3") MOVE_ON LOW("s4", "s5")        \
        HIGH("s5") LOW("s6", "s7") HIGH("s7")
/* The same of a tap at a half of a word: elements of five words, eight cycles. */
#define ODD_WORDS LOAD("u", "2") LOAD("t", "-2")
#define ODD_TAP(NEXT_U, NEXT_T)                                                                    \
    ADD_LOW("s1", "u")                                                                             \
    NEXT_STEP ADD_HIGH("s0", "t") LOAD("t", "6") ADD_HIGH("s2", "u") LOAD("u", "10")               \
        ADD_LOW("s3", "t") ADD_HIGH("s4", "t") ADD_LOW("s5", "u") LOAD("t", "14")                  \
            MOVE_ON ADD_HIGH("s6", "u") ADD_LOW("s7", "t") NEXT_U NEXT_T
#define ODD_TAP_THEN ODD_TAP(LOAD("u", "2"), LOAD("t", "-2"))
#define LAST_ODD_TAP ODD_TAP("", "")
#define FIRST_ODD_TAP                                                                              \
    LOAD("s0", "-2")                                                                               \
    LOAD("s2", "2")                                                                                \
    LOAD("s4", "6")                                                                                \
    LOAD("s6", "10")                                                                               \
    NEXT_STEP LOAD("s7", "14") "asr %[s0], %[s0], #16\n" LOW("s1", "s2") HIGH("s2")                \
        LOW("s3", "s4") HIGH("s4") MOVE_ON LOW("s5", "s6") HIGH("s6") LOW("s7", "s7")

/* No product is beside a store, and ssat is the older of its pair. Halfwords are stored by
 * themselves: the output may lie at no word, and the buffer has time. */
#define SCALE(S) "mla %[" S "], %[" S "], %[d], %[u]\n"
#define SHIFT(S) "asr %[" S "], %[" S "], %[t]\n"
#define SCALE_HIGH(S) "smmlar %[" S "], %[" S "], %[d], %[u]\n"
#define SATURATED(S) "ssat %[" S "], #16, %[" S "]\n"
#define STORE(S, AT) "strh %[" S "], [%[list], #" AT "]\n"
#define AFFINE                                                                                     \
    SCALE("s0")                                                                                    \
    "ldr %[t], %[shift]\n" SCALE("s1") SCALE("s2") "ldr %[list], %[to]\n" SCALE("s3") SHIFT("s0")  \
        SCALE("s4") SHIFT("s1") SCALE("s5") SHIFT("s2") SATURATED("s0") SCALE("s6")                \
            SATURATED("s1") SCALE("s7") SATURATED("s2") SHIFT("s3") STORE("s0", "0") SHIFT("s4")   \
                SATURATED("s3") STORE("s1", "2") SHIFT("s5") SHIFT("s6") SATURATED("s4")           \
                    STORE("s2", "4") SATURATED("s5") SHIFT("s7")
#define PRODUCTS_HIGH                                                                              \
    SCALE_HIGH("s0")                                                                               \
    SCALE_HIGH("s1")                                                                               \
    "ldr %[list], %[to]\n" SCALE_HIGH("s2") SATURATED("s0") SCALE_HIGH("s3") SATURATED("s1")       \
        SCALE_HIGH("s4") SATURATED("s2") SCALE_HIGH("s5") SATURATED("s3") SCALE_HIGH("s6")         \
            SATURATED("s4") SCALE_HIGH("s7") SATURATED("s5") STORE("s0", "0") STORE("s1", "2")     \
                STORE("s2", "4")
#define STORE_REST                                                                                 \
    "ldr %[u], %[end]\n" STORE("s3", "6") "add %[t], %[list], #16\n" SATURATED("s6")               \
        STORE("s4", "8") "cmp %[t], %[u]\n str %[t], %[to]\n" SATURATED("s7") STORE("s5", "10")    \
            STORE("s6", "12") STORE("s7", "14")
#define OUTPUTS                                                                                    \
    "ldr %[t], %[high]\n ldr %[d], %[multiplier]\n ldr %[u], %[rounding]\n"                        \
    "cmp %[t], #0\n bne 4f\n" AFFINE "b 5f\n4:\n" PRODUCTS_HIGH "5:\n" STORE_REST

#endif

#define SATURATE saturate16

#endif
