/* Sums over the taps of windows, int8, of sixteen neighbours at a time, and what makes outputs of
 * them, for mean_taps.h. */
#ifndef DPL_CORTEX_M_MEAN_TAPS_TYPE_H
#define DPL_CORTEX_M_MEAN_TAPS_TYPE_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/mean_of.h"
#include "dpl/cortex_m/simd.h"

enum { GROUP = DPL_POOL_GROUP_BYTES };
#define HALVES 0
#define SATURATE saturate8

#if defined(__ARM_FEATURE_DSP)

#define LINE_LOAD "ldrsb"
#define LINE_STORE "strb"
#define BYTES "1"
#define LIMIT "8"
#define LOAD(X, AT) "ldr %[" X "], [%[x], #" AT "]\n"
#define NEXT_STEP "ldr %[d], [%[list]], #4\n"
#define MOVE_ON "add %[x], %[x], %[d]\n"
#define ADD_EVEN(S, X) "sxtab16 %[" S "], %[" S "], %[" X "]\n"
#define ADD_ODDS(S, X) "sxtab16 %[" S "], %[" S "], %[" X "], ror #8\n"
#define EVEN(S, X) "sxtb16 %[" S "], %[" X "]\n"
#define ODDS(S, X) "sxtb16 %[" S "], %[" X "], ror #8\n"

/* A register has the sums of bytes 0 and 2 of a word, the next those of 1 and 3. A tap begins with
 * two of its words loaded, t and u, and ends with those of the next, if any: eight cycles, in each
 * a DSP instruction as the older of a pair. A word is extended two cycles after its load. */
#define WORDS LOAD("t", "0") LOAD("u", "4")
#define SUM_WORDS(FIRST, SECOND, NEXT_T, NEXT_U)                                                   \
    FIRST("s0", "t")                                                                               \
    NEXT_STEP SECOND("s1", "t") LOAD("t", "8") FIRST("s2", "u") SECOND("s3", "u") LOAD("u", "12")  \
        FIRST("s4", "t") MOVE_ON SECOND("s5", "t") FIRST("s6", "u") NEXT_T SECOND("s7", "u")       \
            NEXT_U
#define TAP_THEN SUM_WORDS(ADD_EVEN, ADD_ODDS, LOAD("t", "0"), LOAD("u", "4"))
#define LAST_TAP SUM_WORDS(ADD_EVEN, ADD_ODDS, "", "")
#define FIRST_TAP WORDS SUM_WORDS(EVEN, ODDS, "", "")

/* Four outputs of two registers: k and x, whose value is saved, have the lower halves. No product
 * is beside a store, and ssat is the older of its pair. */
#define HALVES_OF(LOWER, S) "sxth %[" LOWER "], %[" S "]\n asr %[" S "], %[" S "], #16\n"
#define SCALE(S) "mla %[" S "], %[" S "], %[d], %[u]\n"
#define SHIFT(S) "asr %[" S "], %[" S "], %[t]\n"
#define SATURATED(S) "ssat %[" S "], #8, %[" S "]\n"
#define STORE(S, AT) "strb %[" S "], [%[list], #" AT "]\n"
#define FOUR_SCALED(A, B)                                                                          \
    HALVES_OF("k", A)                                                                              \
    HALVES_OF("x", B)                                                                              \
    SCALE("k") SCALE(A) SCALE("x") SHIFT("k") SCALE(B) SHIFT(A)
#define FOUR_STORED(A, B, FIRST, SECOND, THIRD, FOURTH)                                            \
    SATURATED("k")                                                                                 \
    SHIFT("x")                                                                                     \
    SATURATED(A)                                                                                   \
    SHIFT(B)                                                                                       \
    SATURATED("x")                                                                                 \
    STORE("k", FIRST)                                                                              \
    SATURATED(B) STORE(A, THIRD) STORE("x", SECOND) STORE(B, FOURTH)
#define FOUR_OUTPUTS(A, B, FIRST, SECOND, THIRD, FOURTH)                                           \
    FOUR_SCALED(A, B) FOUR_STORED(A, B, FIRST, SECOND, THIRD, FOURTH)
#define OUTPUTS                                                                                    \
    "ldr %[d], %[multiplier]\n ldr %[u], %[rounding]\n"                                            \
    "ldr %[t], %[shift]\n ldr %[list], %[to]\n str %[x], %[saved]\n" FOUR_OUTPUTS(                 \
        "s0", "s1", "0", "1", "2", "3") FOUR_OUTPUTS("s2", "s3", "4", "5", "6", "7")               \
        FOUR_OUTPUTS("s4", "s5", "8", "9", "10", "11") FOUR_OUTPUTS(                               \
            "s6", "s7", "12", "13", "14",                                                          \
            "15") "ldr %[t], %[end]\n add %[list], %[list], #16\n ldr %[x], %[saved]\n"            \
                  "cmp %[list], %[t]\n str %[list], %[to]\n"

#endif

#endif
