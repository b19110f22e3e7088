/* Sixteen positions of four channels or five by the rule Q32 as a Cortex-A53 issues them: twenty
 * vectors of sums. Included behind planes_sums.h.
 *
 * A value takes 4 N + 3 cycles of N channels: places and weights are loaded once for both halves of
 * the positions, and what a block begins with is half as much as of eight. Sums become outputs
 * where they are: 4 N high words of products, each in a cycle, are used when the others are made,
 * and halves of vectors are rounded and narrowed two a cycle. In the hands of a compiler registers
 * do not suffice for both.
 *
 * v12 to v31 are the sums, low and high ones of the first eight positions and of the last, channel
 * by channel, of which the low ones become outputs; v8 to v11 and at last v0 have multipliers, v0
 * to v3 cells of two values by turns, v4 and v5 weights of the first four channels, v6 and v7 of
 * the fifth; x9 and x12 where cells are, x14 and x15 last halves of cells, x10 the fifth weight of
 * the next value. */
#ifndef DPL_NEON_PLANES_TWENTY_A64_H
#define DPL_NEON_PLANES_TWENTY_A64_H

#include "dpl/neon/simd.h"

#define FIFTH "ldrh w10, [%[w], #8]\n"
#define CELLS_AT(P) "add x" #P ", %[cells], x" #P "\n"
/* A channel of both halves of the positions, by lane LANE of W. */
#define EACH(A, B, C, D, X, Y, W, LANE, MORE, LESS)                                                \
    ADD(A, B, X, W, LANE, MORE, LESS) ADD(C, D, Y, W, LANE, NO, NO)
#define BEGIN_VALUE(X, Y, P, NOW, AND)                                                             \
    "ldr d" #X ", [x" #P "]\n ins v" #NOW ".d[1], x14\n"                                           \
    "ldr d" #Y ", [x" #P ", #16]\n ins v" #AND ".d[1], x15\n"
#define HALF_OF(X, AT, P) "ldr x" #X ", [x" #P ", #" #AT "]\n"
#define ADD_THREE(X, Y, W, P, N, FIFTH)                                                            \
    ADD(12, 13, X, W, 0, TWO_PLACE(N), HALF_OF(14, 8, P))                                          \
    ADD(14, 15, Y, W, 0, HALF_OF(15, 24, P), COUNT)                                                \
    EACH(16, 17, 18, 19, X, Y, W, 1, FIFTH, CELLS_AT(N))                                           \
    EACH(20, 21, 22, 23, X, Y, W, 2, NO, NO)
#define ADD_FOURTH(X, Y, W) EACH(24, 25, 26, 27, X, Y, W, 3, NO, NO)
/* Cells X and Y, weights W and V; of the next value they go to A and B, C and D. The last product
 * shares its cycle with the branch. */
#define TWENTY_4(X, Y, W, V, A, B, C, D, P, N)                                                     \
    BEGIN_VALUE(A, B, P, X, Y)                                                                     \
    ADD_THREE(X, Y, W, P, N, NO) "ldr d" #C ", [%[w]], #8\n" ADD_FOURTH(X, Y, W)
#define TWENTY_5(X, Y, W, V, A, B, C, D, P, N)                                                     \
    BEGIN_VALUE(A, B, P, X, Y)                                                                     \
    ADD_THREE(X, Y, W, P, N, FIFTH)                                                                \
    ADD_FOURTH(X, Y, W)                                                                            \
    "ldr d" #C ", [%[w]], #16\n ins v" #D ".h[0], w10\n" EACH(28, 29, 30, 31, X, Y, V, 0, NO, NO)
#define BIASES(X, A, B, C, D) TO(X, A) TO(X, B) TO(X, C) TO(X, D)
#define MULTIPLIER(X, AT) "ldr d" #X ", [%[tables], #" #AT "]\n"
/* Loads beside copies of biases. */
#define TWENTY_BEGUN(FIRST, FIFTH_BIAS, LAST)                                                      \
    LOAD(10, 0)                                                                                    \
    LOAD(13, 16)                                                                                   \
    "ldrh w9, [%[at]]\n ldrh w12, [%[at], #2]\n add %[at], %[at], #4\n" FIRST CELLS_AT(9)          \
        TO(10, 12) MULTIPLIER(8, 0) TO(10, 13) MULTIPLIER(9, 16)                                   \
            TO(10, 14) "ldr d0, [x9]\n" TO(10, 15) LOAD(10, 32)                                    \
                TO(13, 16) "ldr d1, [x9, #16]\n" TO(13, 17) HALF_OF(14, 8, 9) TO(13, 18)           \
                    HALF_OF(15, 24, 9) TO(13, 19) LOAD(13, 48) CELLS_AT(12) TO(10, 20)             \
                        MULTIPLIER(10, 32) TO(10, 21) FIFTH_BIAS TO(10, 22) MULTIPLIER(11, 48)     \
                            TO(10, 23) BIASES(13, 24, 25, 26, 27) LAST
#define TWENTY_BEGUN_4 TWENTY_BEGUN("ldr d4, [%[w]], #8\n", NO, NO)
#define TWENTY_BEGUN_5                                                                             \
    TWENTY_BEGUN("ldr h6, [%[w], #8]\n ldr d4, [%[w]], #16\n", LOAD(9, 64),                        \
                 BIASES(9, 28, 29, 30, 31))
#define SCALED(V, BY) "sqdmulh v" #V ".4s, v" #V ".4s, v" #BY ".s[1]\n"
#define SCALED_4(BY, A, B, C, D) SCALED(A, BY) SCALED(B, BY) SCALED(C, BY) SCALED(D, BY)
#define NARROWED(A, B) "sqrshrn v" #A ".4h, v" #A ".4s, #1\n sqrshrn v" #B ".4h, v" #B ".4s, #1\n"
#define REST(A, B) "sqrshrn2 v" #A ".8h, v" #B ".4s, #1\n"
#if ELEMENT_BYTES == 1
#define ZERO "ldr w10, [%[tables], #8]\n dup v1.8h, w10\n"
#define WITH_ZERO(V) "sqadd v" #V ".8h, v" #V ".8h, v1.8h\n"
#else
#define ZERO ""
#define WITH_ZERO(V) ""
#endif
#define TWENTY_DONE(SCALE, NARROW, REST_5, ZERO_5)                                                 \
    ZERO SCALED_4(8, 12, 13, 14, 15) SCALED_4(9, 16, 17, 18, 19) SCALED_4(10, 20, 21, 22, 23)      \
        SCALED_4(11, 24, 25, 26, 27) SCALE NARROWED(12, 14) NARROWED(16, 18) NARROWED(20, 22)      \
            NARROWED(24, 26) NARROW REST(12, 13) REST(14, 15) REST(16, 17) REST(18, 19)            \
                REST(20, 21) REST(22, 23) REST(24, 25) REST(26, 27) REST_5 WITH_ZERO(12)           \
                    WITH_ZERO(14) WITH_ZERO(16) WITH_ZERO(18) WITH_ZERO(20) WITH_ZERO(22)          \
                        WITH_ZERO(24) WITH_ZERO(26) ZERO_5
#define TWENTY_DONE_4 TWENTY_DONE("", "", "", "")
#define TWENTY_DONE_5                                                                              \
    MULTIPLIER(0, 64)                                                                              \
    TWENTY_DONE(SCALED_4(0, 28, 29, 30, 31), NARROWED(28, 30), REST(28, 29) REST(30, 31),          \
                WITH_ZERO(28) WITH_ZERO(30))
#define MAKE_TWENTY(N)                                                                             \
    __asm__ volatile(                                                                              \
        TWENTY_BEGUN_##N "1:\n" TWENTY_##N(0, 1, 4, 6, 2, 3, 5, 7, 12, 9) "b.eq 2f\n" TWENTY_##N(  \
            2, 3, 5, 7, 0, 1, 4, 6, 9, 12) "b.ne 1b\n2:\n" TWENTY_DONE_##N                         \
        : [at] "+&r"(at), [w] "+&r"(weights), [count] "+&r"(count), "=w"(s12), "=w"(s14),          \
          "=w"(s16), "=w"(s18), "=w"(s20), "=w"(s22), "=w"(s24), "=w"(s26), "=w"(s28), "=w"(s30)   \
        : [cells] "r"(cells), [tables] "r"(tables)                                                 \
        : "x9", "x10", "x12", "x13", "x14", "x15", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", \
          "v8", "v9", "v10", "v11", "v13", "v15", "v17", "v19", "v21", "v23", "v25", "v27", "v29", \
          "v31", "cc", "memory")

/* `count` values. Outputs before they are limited: those of the last eight positions behind those
 * of the first. Of the last value loads for the next two are made. */
INLINED void make_twenty_a53(const int8_t *cells, const uint16_t *at, int64_t count,
                             const int16_t *weights, const channel_table *tables, int channels,
                             int16x8_t *outputs) {
    register int16x8_t s12 __asm__("v12");
    register int16x8_t s14 __asm__("v14");
    register int16x8_t s16 __asm__("v16");
    register int16x8_t s18 __asm__("v18");
    register int16x8_t s20 __asm__("v20");
    register int16x8_t s22 __asm__("v22");
    register int16x8_t s24 __asm__("v24");
    register int16x8_t s26 __asm__("v26");
    register int16x8_t s28 __asm__("v28");
    register int16x8_t s30 __asm__("v30");
    if (channels == 4) {
        MAKE_TWENTY(4);
    } else {
        MAKE_TWENTY(5);
        outputs[4] = s28, outputs[9] = s30;
    }
    outputs[0] = s12, outputs[channels] = s14;
    outputs[1] = s16, outputs[channels + 1] = s18;
    outputs[2] = s20, outputs[channels + 2] = s22;
    outputs[3] = s24, outputs[channels + 3] = s26;
}

#endif
