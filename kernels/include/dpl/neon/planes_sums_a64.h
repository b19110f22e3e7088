/* The sums of eight positions by up to eight channels as a Cortex-A53 issues them
 * (docs/cortex-a53.md).
 *
 * Two products of 128 bits a channel, one a cycle, beside which loads of general registers are
 * free. A vector of cells takes one cycle, three across a multiple of eight bytes: its first half
 * shares it with the insertion of another one's last half, which is loaded beside a product. So
 * does a load of weights, of four channels or of eight: 2 N + 2 cycles for N channels. What a value
 * needs is loaded while the one before is added, of more than four channels its cells another value
 * earlier, as is where they lie.
 *
 * Of one channel to three sixteen positions are summed at once: 4 N + 3 cycles a value, since
 * places and weights are loaded once, and since the next place is there in time: it goes to another
 * register than that of the value whose last halves are yet to be loaded.
 *
 * v0 and v1 hold cells, v2 and v3 weights of values by turns, of more than four channels also v6
 * and v4; v16 on the sums, low and high positions of a channel after the other; x9 where the next
 * cells are, x14 and x15 the last halves of cells and of weights that were loaded. */
#ifndef DPL_NEON_PLANES_SUMS_A64_H
#define DPL_NEON_PLANES_SUMS_A64_H

#include "dpl/neon/simd.h"
#include "dpl/neon/sixteen_sums_a64.h"

#define HALF_CELLS 8 /* bytes of four */
#define NO ""
#define PLACE "ldrh w9, [%[at]], #2\n"
#define COUNT "subs %[count], %[count], #1\n"
#define HALF "ldr x14, [%[half], x9]\n"
/* Of the next value: its cells to X and weights to W; the last half of NOW, the cells of this one.
 */
#define NEXT(X, W, NOW)                                                                            \
    "ldr d" #X ", [%[cells], x9]\n ins v" #NOW ".d[1], x14\n ldr d" #W ", [%[w]], #8\n" COUNT
/* The same of more than four channels: the next value's weights to W beside the last half of its
 * cells X, then the cells of the value after it to X beside the last half of W. */
#define WEIGHTS_HALF "ldr x15, [%[w], #8]\n"
#define NEXT_WEIGHTS(W, X) "ldr d" #W ", [%[w]], #16\n ins v" #X ".d[1], x14\n"
#define NEXT_CELLS(X, W) "ldr d" #X ", [%[cells], x9]\n ins v" #W ".d[1], x15\n"
/* A channel whose sums are LOW and HIGH, of cells X, lane LANE of weights W, with what is issued
 * behind each product. */
#define ADD(LOW, HIGH, X, W, LANE, A, B)                                                           \
    "smlal v" #LOW ".4s, v" #X ".4h, v" #W ".h[" #LANE "]\n" A "smlal2 v" #HIGH ".4s, v" #X        \
    ".8h, v" #W ".h[" #LANE "]\n" B
#define ADD_1(X, W) ADD(16, 17, X, W, 0, HALF, PLACE)
#define ADD_2(X, W) ADD_1(X, W) ADD(18, 19, X, W, 1, NO, NO)
#define ADD_3(X, W) ADD_2(X, W) ADD(20, 21, X, W, 2, NO, NO)
#define ADD_4(X, W) ADD_3(X, W) ADD(22, 23, X, W, 3, NO, NO)
/* More than four channels: Y and Z are cells of the next two values, V weights of the next. */
#define ADD_5(X, Y, Z, W, V)                                                                       \
    ADD(16, 17, X, W, 0, PLACE, WEIGHTS_HALF)                                                      \
    NEXT_WEIGHTS(V, Y)                                                                             \
    ADD(18, 19, X, W, 1, NO, NO)                                                                   \
    ADD(20, 21, X, W, 2, NO, NO)                                                                   \
    NEXT_CELLS(Z, V) ADD(22, 23, X, W, 3, HALF, COUNT) ADD(24, 25, X, W, 4, NO, NO)
#define ADD_6(X, Y, Z, W, V) ADD_5(X, Y, Z, W, V) ADD(26, 27, X, W, 5, NO, NO)
#define ADD_7(X, Y, Z, W, V) ADD_6(X, Y, Z, W, V) ADD(28, 29, X, W, 6, NO, NO)
#define ADD_8(X, Y, Z, W, V) ADD_7(X, Y, Z, W, V) ADD(30, 31, X, W, 7, NO, NO)
/* A channel's bias goes to both of its sums: by way of a general register, from where a copy takes
 * half a cycle, beside a load. */
#define LOAD(X, AT) "ldr w" #X ", [%[tables], #" #AT "]\n"
#define TO(X, SUM) "dup v" #SUM ".4s, w" #X "\n"
#define BIAS(X, LOW, HIGH) TO(X, LOW) TO(X, HIGH)
#define FIRST_CELLS "ldr d0, [%[cells], x9]\n"
/* What comes before all values: the first one's place, then its cells and weights beside biases. */
#define WEIGHTS "ldr d2, [%[w]], #8\n"
#define BEGUN_1 PLACE LOAD(10, 0) WEIGHTS FIRST_CELLS TO(10, 16) HALF TO(10, 17) PLACE
#define BEGUN_2                                                                                    \
    PLACE LOAD(10, 0) LOAD(11, 16) WEIGHTS FIRST_CELLS TO(10, 16) HALF TO(10, 17)                  \
        PLACE BIAS(11, 18, 19)
#define BEGUN_3                                                                                    \
    PLACE LOAD(10, 0) LOAD(11, 16) LOAD(12, 32) WEIGHTS TO(10, 16) FIRST_CELLS TO(10, 17)          \
        HALF TO(11, 18) PLACE TO(11, 19) BIAS(12, 20, 21)
#define BEGUN_4                                                                                    \
    PLACE LOAD(10, 0) LOAD(11, 16) LOAD(12, 32) LOAD(13, 48) TO(10, 16) FIRST_CELLS TO(10, 17)     \
        HALF TO(11, 18) WEIGHTS TO(11, 19) PLACE TO(12, 20) TO(12, 21) BIAS(13, 22, 23)
#define FEW(N)                                                                                     \
    BEGUN_##N "1:\n" NEXT(1, 3, 0) ADD_##N(0, 2) "b.eq 2f\n" NEXT(0, 2, 1)                         \
        ADD_##N(1, 3) "b.ne 1b\n"                                                                  \
                      "2:\n"
/* The same of more than four channels. */
#define WIDE_WEIGHTS "ldr d2, [%[w]], #16\n"
#define BEGUN_WIDE(FIFTH, SIXTH, SEVENTH, EIGHTH)                                                  \
    PLACE LOAD(10, 0) LOAD(11, 16) WEIGHTS_HALF LOAD(12, 32) TO(10, 16) LOAD(13, 48) TO(10, 17)    \
        FIFTH TO(11, 18) FIRST_CELLS TO(11, 19) SIXTH TO(12, 20) HALF TO(12, 21)                   \
            SEVENTH TO(13, 22) WIDE_WEIGHTS TO(13, 23) PLACE TO(10, 24) EIGHTH TO(10, 25)
#define BEGUN_5 BEGUN_WIDE(LOAD(10, 64), NO, NO, NO)
#define BEGUN_6 BEGUN_WIDE(LOAD(10, 64), LOAD(11, 80), NO, NO) BIAS(11, 26, 27)
#define BEGUN_7                                                                                    \
    BEGUN_WIDE(LOAD(10, 64), LOAD(11, 80), LOAD(12, 96), NO) BIAS(11, 26, 27) BIAS(12, 28, 29)
#define BEGUN_8                                                                                    \
    BEGUN_WIDE(LOAD(10, 64), LOAD(11, 80), LOAD(12, 96), LOAD(13, 112))                            \
    BIAS(11, 26, 27) BIAS(12, 28, 29) BIAS(13, 30, 31)
/* The last halves of the first value's, and the cells of the second. */
#define SECOND_CELLS "ins v0.d[1], x14\n ins v2.d[1], x15\n ldr d1, [%[cells], x9]\n" HALF
/* Cells and weights are three values' by turns. */
#define MANY_VALUES(ALL)                                                                           \
    SECOND_CELLS "1:\n" ALL(0, 1, 6, 2, 3) "b.eq 2f\n" ALL(1, 6, 0, 3, 4) "b.eq 2f\n" ALL(         \
        6, 0, 1, 4, 2) "b.ne 1b\n"                                                                 \
                       "2:\n"
#define MANY(N) BEGUN_##N MANY_VALUES(ADD_##N)
/* clang-format off */
#define OUT_1 "=w"(s0), "=w"(s1)
#define OUT_2 OUT_1, "=w"(s2), "=w"(s3)
#define OUT_3 OUT_2, "=w"(s4), "=w"(s5)
#define OUT_4 OUT_3, "=w"(s6), "=w"(s7)
#define OUT_5 OUT_4, "=w"(s8), "=w"(s9)
#define OUT_6 OUT_5, "=w"(s10), "=w"(s11)
#define OUT_7 OUT_6, "=w"(s12), "=w"(s13)
#define OUT_8 OUT_7, "=w"(s14), "=w"(s15)
#define SUM(HOW, N)                                                                                \
    __asm__ volatile(HOW(N)                                                                        \
                     : [at] "+&r"(at), [w] "+&r"(weights), [count] "+&r"(count), OUT_##N           \
                     : [cells] "r"(cells), [half] "r"(half), [tables] "r"(tables)                  \
                     : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v0", "v1", "v2", "v3",     \
                       "v4", "v6", "cc", "memory")
#define TAKE(C, LOW, HIGH)                                                                         \
    if (channels > (C)) {                                                                          \
        low[C] = LOW, high[C] = HIGH;                                                              \
    }
/* clang-format on */

/* `count` values of `channels` channels, a constant. Of the last value loads for the next two are
 * made: of weights they are of the tables behind them. */
INLINED void sum_values_a53(const int8_t *cells, const uint16_t *at, int64_t count,
                            const int16_t *weights, const channel_table *tables, int channels,
                            int32x4_t *low, int32x4_t *high) {
    const int8_t *half = cells + HALF_CELLS;
    SIXTEEN_SUMS;
    switch (channels) {
    case 1: SUM(FEW, 1); break;
    case 2: SUM(FEW, 2); break;
    case 3: SUM(FEW, 3); break;
    case 4: SUM(FEW, 4); break;
    case 5: SUM(MANY, 5); break;
    case 6: SUM(MANY, 6); break;
    case 7: SUM(MANY, 7); break;
    default: SUM(MANY, 8); break;
    }
    TAKE(0, s0, s1)
    TAKE(1, s2, s3)
    TAKE(2, s4, s5)
    TAKE(3, s6, s7)
    TAKE(4, s8, s9)
    TAKE(5, s10, s11)
    TAKE(6, s12, s13)
    TAKE(7, s14, s15)
}

/* Eight channels in lanes: of a position v16 on hold the sums of the first four and of the last
 * four. */
#define LANE(LOW, HIGH, X, W, P, A, B)                                                             \
    "smlal v" #LOW ".4s, v" #W ".4h, v" #X ".h[" #P "]\n" A "smlal2 v" #HIGH ".4s, v" #W           \
    ".8h, v" #X ".h[" #P "]\n" B
#define ALL_LANES(X, Y, Z, W, V)                                                                   \
    LANE(16, 17, X, W, 0, PLACE, WEIGHTS_HALF)                                                     \
    NEXT_WEIGHTS(V, Y)                                                                             \
    LANE(18, 19, X, W, 1, NO, NO)                                                                  \
    LANE(20, 21, X, W, 2, NO, NO)                                                                  \
    NEXT_CELLS(Z, V)                                                                               \
    LANE(22, 23, X, W, 3, HALF, COUNT)                                                             \
    LANE(24, 25, X, W, 4, NO, NO)                                                                  \
    LANE(26, 27, X, W, 5, NO, NO)                                                                  \
    LANE(28, 29, X, W, 6, NO, NO) LANE(30, 31, X, W, 7, NO, NO)
#define SAME(LOW, HIGH) "mov v" #LOW ".16b, v16.16b\n mov v" #HIGH ".16b, v17.16b\n"
/* What is waited for is loaded between copies of biases. */
#define IN_LANES(N)                                                                                \
    PLACE "ldr q16, [%[tables]]\n ldr q17, [%[tables], #16]\n" FIRST_CELLS                         \
          "mov v18.16b, v16.16b\n" HALF "mov v19.16b, v17.16b\n" PLACE                             \
          "mov v20.16b, v16.16b\n" WEIGHTS_HALF "mov v21.16b, v17.16b\n" WIDE_WEIGHTS SAME(22, 23) \
              SAME(24, 25) SAME(26, 27) SAME(28, 29) SAME(30, 31) MANY_VALUES(ALL_LANES)

/* The same of eight channels in lanes, whose biases are `tables`: sums of each position. */
INLINED void sum_lanes_a53(const int8_t *cells, const uint16_t *at, int64_t count,
                           const int16_t *weights, const int32_t *tables, int32x4_t *low,
                           int32x4_t *high) {
    const int8_t *half = cells + HALF_CELLS;
    SIXTEEN_SUMS;
    SUM(IN_LANES, 8);
    TAKE_SIXTEEN(low, high);
}

/* Sixteen positions: v0 and v1 hold cells of a value, v6 and v7 of the next, x14 and x15 their last
 * halves, v2 and v3 weights, x9 and x12 places, v16 to v19 the sums of a channel, v20 to v23 and
 * v24 to v27 those of others. The cells of P go to X and Y. */
#define TWO_NEXT(X, Y, P, NOW, AND)                                                                \
    "ldr d" #X ", [%[cells], x" #P "]\n ins v" #NOW ".d[1], x14\n"                                 \
    "ldr d" #Y ", [%[more], x" #P "]\n ins v" #AND ".d[1], x15\n"
#define TWO_WEIGHT(W) "ldr d" #W ", [%[w]], #8\n"
#define TWO_PLACE(P) "ldrh w" #P ", [%[at]], #2\n"
#define TWO_HALF(X, AT, P) "ldr x" #X ", [%[" #AT "], x" #P "]\n"
#define TWO_ADD_1(X, Y, W, P, N)                                                                   \
    ADD(16, 17, X, W, 0, TWO_PLACE(N), TWO_HALF(14, half, P))                                      \
    ADD(18, 19, Y, W, 0, TWO_HALF(15, behind, P), COUNT)
#define TWO_ADD_2(X, Y, W, P, N)                                                                   \
    TWO_ADD_1(X, Y, W, P, N) ADD(20, 21, X, W, 1, NO, NO) ADD(22, 23, Y, W, 1, NO, NO)
#define TWO_ADD_3(X, Y, W, P, N)                                                                   \
    TWO_ADD_2(X, Y, W, P, N) ADD(24, 25, X, W, 2, NO, NO) ADD(26, 27, Y, W, 2, NO, NO)
#define TWO(N)                                                                                     \
    TWO_BEGUN_##N "1:\n" TWO_NEXT(6, 7, 9, 0, 1) TWO_ADD_##N(0, 1, 2, 9, 12)                       \
        TWO_WEIGHT(3) "b.eq 2f\n" TWO_NEXT(0, 1, 12, 6, 7) TWO_ADD_##N(6, 7, 3, 12, 9)             \
            TWO_WEIGHT(2) "b.ne 1b\n"                                                              \
                          "2:\n"
#define TWO_CELLS "ldr d1, [%[more], x9]\n"
#define TWO_BEGUN(SECOND, THIRD)                                                                   \
    PLACE LOAD(10, 0) SECOND THIRD TWO_WEIGHT(2) FIRST_CELLS TO(10, 16) TWO_CELLS TO(10, 17)       \
        TWO_HALF(14, half, 9) TO(10, 18) TWO_HALF(15, behind, 9) TO(10, 19)
#define TWO_BEGUN_1 TWO_BEGUN(NO, NO) PLACE
#define TWO_BEGUN_2 TWO_BEGUN(LOAD(11, 16), NO) PLACE BIAS(11, 20, 21) BIAS(11, 22, 23)
#define TWO_BEGUN_3                                                                                \
    TWO_BEGUN(LOAD(11, 16), LOAD(13, 32))                                                          \
    PLACE BIAS(11, 20, 21) BIAS(11, 22, 23) BIAS(13, 24, 25) BIAS(13, 26, 27)
/* clang-format off */
#define SUM_TWO(N)                                                                                 \
    __asm__ volatile(TWO(N)                                                                        \
                     : [at] "+&r"(at), [w] "+&r"(weights), [count] "+&r"(count), TWO_OUT_##N       \
                     : [cells] "r"(cells), [more] "r"(more), [half] "r"(half),                     \
                       [behind] "r"(behind), [tables] "r"(tables)                                  \
                     : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v0", "v1", "v2", "v3",     \
                       "v6", "v7", "cc", "memory")
#define TWO_OUT_1 "=w"(s0), "=w"(s1), "=w"(s2), "=w"(s3)
#define TWO_OUT_2 TWO_OUT_1, "=w"(s4), "=w"(s5), "=w"(s6), "=w"(s7)
#define TWO_OUT_3 TWO_OUT_2, "=w"(s8), "=w"(s9), "=w"(s10), "=w"(s11)
/* clang-format on */

INLINED void sum_two_a53(const int8_t *cells, const uint16_t *at, int64_t count,
                         const int16_t *weights, const channel_table *tables, int channels,
                         int32x4_t *low, int32x4_t *high) {
    const int8_t *more = cells + 2 * DPL_PLANE_PIXELS;
    const int8_t *half = cells + HALF_CELLS, *behind = more + HALF_CELLS;
    register int32x4_t s0 __asm__("v16");
    register int32x4_t s1 __asm__("v17");
    register int32x4_t s2 __asm__("v18");
    register int32x4_t s3 __asm__("v19");
    register int32x4_t s4 __asm__("v20");
    register int32x4_t s5 __asm__("v21");
    register int32x4_t s6 __asm__("v22");
    register int32x4_t s7 __asm__("v23");
    register int32x4_t s8 __asm__("v24");
    register int32x4_t s9 __asm__("v25");
    register int32x4_t s10 __asm__("v26");
    register int32x4_t s11 __asm__("v27");
    if (channels == 1) {
        SUM_TWO(1);
    } else if (channels == 2) {
        SUM_TWO(2);
    } else {
        SUM_TWO(3);
        low[2] = s8, high[2] = s9;
        low[5] = s10, high[5] = s11;
    }
    if (channels > 1) {
        low[1] = s4, high[1] = s5;
        low[channels + 1] = s6, high[channels + 1] = s7;
    }
    low[0] = s0, high[0] = s1;
    low[channels] = s2, high[channels] = s3;
}

#endif
