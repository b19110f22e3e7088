/* Sums of sixteen positions of one output channel or two, where taps of a kernel row lie side by
 * side in a plane, as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * All taps of a row take their cells from twenty or twenty-four that are loaded once: what the
 * first tap has, moved by the others' distance, is two extractions of a cycle each, where a load
 * across a multiple of eight bytes would take two more for each of four halves. First halves are
 * loaded beside the insertion of others' last halves, which are loaded beside products: a row of W
 * taps by N channels takes 4 N W cycles of products, 2 (W - 1) of extractions, three of cells and
 * one for each four weights: 20 of three taps, where lists of each take 30. A tap four cells behind
 * the first needs no extraction: 32 of five taps.
 *
 * v24 to v26 and v27 to v29 hold cells of a row and the next by turns, v0 to v2 and v3 to v5
 * weights, v6, v7, v30 and v31 cells of the taps behind the first; v16 on the sums as sum_two_a53
 * has them; x9 and x12 places, x13 to x15 last halves. */
#ifndef DPL_NEON_PLANES_SLIDE_A64_H
#define DPL_NEON_PLANES_SLIDE_A64_H

#include "dpl/neon/planes_sums.h"

/* clang-format off */
/* The cells of the tap so many bytes behind the first, of A, B and C, to X and Y. */
#define MOVED(X, Y, A, B, C, BYTES)                                                                \
    "ext v" #X ".16b, v" #A ".16b, v" #B ".16b, #" #BYTES "\n"                                     \
    "ext v" #Y ".16b, v" #B ".16b, v" #C ".16b, #" #BYTES "\n"
/* The products of a tap whose weights are lanes L of V and M of W, with what is issued behind the
 * first four and amid them. */
#define TAP_1(X, Y, V, L, W, M, AMID, ONE, TWO, THREE, FOURTH)                                     \
    ADD(16, 17, X, V, L, ONE, TWO) AMID ADD(18, 19, Y, V, L, THREE, FOURTH)
#define TAP_2(X, Y, V, L, W, M, AMID, ONE, TWO, THREE, FOURTH)                                     \
    TAP_1(X, Y, V, L, W, M, AMID, ONE, TWO, THREE, FOURTH)                                         \
    ADD(20, 21, X, W, M, NO, NO) ADD(22, 23, Y, W, M, NO, NO)
/* A tap four cells behind the first: halves of what is there, without extractions. */
#define HALVES_1(A, B, C, V, L, W, M)                                                              \
    "smlal2 v16.4s, v" #A ".8h, v" #V ".h[" #L "]\n smlal v17.4s, v" #B ".4h, v" #V ".h[" #L "]\n"  \
    "smlal2 v18.4s, v" #B ".8h, v" #V ".h[" #L "]\n smlal v19.4s, v" #C ".4h, v" #V ".h[" #L "]\n"
#define HALVES_2(A, B, C, V, L, W, M)                                                              \
    HALVES_1(A, B, C, V, L, W, M)                                                                  \
    "smlal2 v20.4s, v" #A ".8h, v" #W ".h[" #M "]\n smlal v21.4s, v" #B ".4h, v" #W ".h[" #M "]\n"  \
    "smlal2 v22.4s, v" #B ".8h, v" #W ".h[" #M "]\n smlal v23.4s, v" #C ".4h, v" #W ".h[" #M "]\n"
#define NEXT_TAP(TAP, X, Y, V, L, W, M, AMID) TAP(X, Y, V, L, W, M, AMID, NO, NO, NO, NO)
/* The first tap, beside which the last halves of the next row are loaded, whose place is P, and the
 * place behind it to Q; the next row's cells go to E, F and G: halves wait for those they go to. */
#define FIRST_TAP(TAP, X, Y, V, P, Q, E, F)                                                        \
    TAP(X, Y, V, 0, V, 1, "ldr d" #E ", [%[cells], x" #P "]\n",                                    \
        "ldr x14, [%[half], x" #P "]\n", "ldr x15, [%[behind], x" #P "]\n",                        \
        "ldr x13, [%[last], x" #P "]\n", "ldrh w" #Q ", [%[at]], #2\n")                            \
    "ldr d" #F ", [%[more], x" #P "]\n ins v" #E ".d[1], x14\n"
#define LAST_CELLS(F, G, P) "ldr d" #G ", [%[third], x" #P "]\n ins v" #F ".d[1], x15\n"
/* Where several follow one another, what updates their address would hold up the next. */
#define WEIGHTS_1(V, W, U) "ldr d" #V ", [%[w]], #8\n"
#define WEIGHTS_2(V, W, U)                                                                         \
    "ldr d" #V ", [%[w]]\n ldr d" #W ", [%[w], #8]\n add %[w], %[w], #16\n"
#define WEIGHTS_3(V, W, U)                                                                         \
    "ldr d" #V ", [%[w]]\n ldr d" #W ", [%[w], #8]\n"                                              \
    "ldr d" #U ", [%[w], #16]\n add %[w], %[w], #24\n"
#define MORE_CELLS(G) "ins v" #G ".d[1], x13\n"
#define FEW_CELLS(G)

/* Rows of N channels by W taps, D bytes behind the first: A to C are cells, V to U weights; those of
 * the next row go to E to G and, by LOADS, to others; MORE takes more than four cells of C. */
#define ROW_1_2(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_1, A, B, V, P, Q, E, F)                                 \
    NEXT_TAP(TAP_1, 6, 7, V, 1, V, 1, LAST_CELLS(F, G, P) LOADS)
#define ROW_1_3(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_1, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D2)                                                                     \
    NEXT_TAP(TAP_1, 6, 7, V, 1, V, 1, LAST_CELLS(F, G, P) LOADS)                                   \
    NEXT_TAP(TAP_1, 30, 31, V, 2, V, 2, MORE(G))
#define ROW_1_4(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_1, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D2)                                                                     \
    NEXT_TAP(TAP_1, 6, 7, V, 1, V, 1, LAST_CELLS(F, G, P) LOADS)                                   \
    MOVED(6, 7, A, B, C, D3)                                                                       \
    NEXT_TAP(TAP_1, 30, 31, V, 2, V, 2, MORE(G))                                                   \
    NEXT_TAP(TAP_1, 6, 7, V, 3, V, 3, NO)
#define ROW_1_5(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_1, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D2)                                                                     \
    NEXT_TAP(TAP_1, 6, 7, V, 1, V, 1, LAST_CELLS(F, G, P) LOADS)                                   \
    MOVED(6, 7, A, B, C, D3)                                                                       \
    NEXT_TAP(TAP_1, 30, 31, V, 2, V, 2, MORE(G))                                                   \
    NEXT_TAP(TAP_1, 6, 7, V, 3, V, 3, NO)                                                          \
    HALVES_1(A, B, C, W, 0, W, 0)
#define ROW_2_2(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_2, A, B, V, P, Q, E, F)                                 \
    NEXT_TAP(TAP_2, 6, 7, V, 2, V, 3, LAST_CELLS(F, G, P) LOADS)
#define ROW_2_3(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_2, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D2)                                                                     \
    NEXT_TAP(TAP_2, 6, 7, V, 2, V, 3, LAST_CELLS(F, G, P) LOADS)                                   \
    NEXT_TAP(TAP_2, 30, 31, W, 0, W, 1, MORE(G))
#define ROW_2_4(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_2, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D2)                                                                     \
    NEXT_TAP(TAP_2, 6, 7, V, 2, V, 3, LAST_CELLS(F, G, P) LOADS)                                   \
    MOVED(6, 7, A, B, C, D3)                                                                       \
    NEXT_TAP(TAP_2, 30, 31, W, 0, W, 1, MORE(G))                                                   \
    NEXT_TAP(TAP_2, 6, 7, W, 2, W, 3, NO)
#define ROW_2_5(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                      \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_2, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D2)                                                                     \
    NEXT_TAP(TAP_2, 6, 7, V, 2, V, 3, LAST_CELLS(F, G, P) LOADS)                                   \
    MOVED(6, 7, A, B, C, D3)                                                                       \
    NEXT_TAP(TAP_2, 30, 31, W, 0, W, 1, MORE(G))                                                   \
    NEXT_TAP(TAP_2, 6, 7, W, 2, W, 3, NO)                                                          \
    HALVES_2(A, B, C, U, 0, U, 1)
/* Three taps or four two cells apart: the third one's cells are halves. */
#define ROW_1_3_APART(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_1, A, B, V, P, Q, E, F)                                 \
    NEXT_TAP(TAP_1, 6, 7, V, 1, V, 1, LAST_CELLS(F, G, P) LOADS)                                   \
    HALVES_1(A, B, C, V, 2, V, 2) MORE(G)
#define ROW_2_3_APART(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_2, A, B, V, P, Q, E, F)                                 \
    NEXT_TAP(TAP_2, 6, 7, V, 2, V, 3, LAST_CELLS(F, G, P) LOADS)                                   \
    HALVES_2(A, B, C, W, 0, W, 1) MORE(G)
#define ROW_1_4_APART(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_1, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D3)                                                                     \
    NEXT_TAP(TAP_1, 6, 7, V, 1, V, 1, LAST_CELLS(F, G, P) LOADS)                                   \
    HALVES_1(A, B, C, V, 2, V, 2) MORE(G)                                                          \
    NEXT_TAP(TAP_1, 30, 31, V, 3, V, 3, NO)
#define ROW_2_4_APART(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_2, A, B, V, P, Q, E, F)                                 \
    MOVED(30, 31, A, B, C, D3)                                                                     \
    NEXT_TAP(TAP_2, 6, 7, V, 2, V, 3, LAST_CELLS(F, G, P) LOADS)                                   \
    HALVES_2(A, B, C, W, 0, W, 1) MORE(G)                                                          \
    NEXT_TAP(TAP_2, 30, 31, W, 2, W, 3, NO)
/* Five taps two cells apart: the third one's cells are halves, the last one's those of the second
 * and third eight. */
#define ROW_1_5_APART(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_1, A, B, V, P, Q, E, F)                                 \
    NEXT_TAP(TAP_1, 6, 7, V, 1, V, 1, LAST_CELLS(F, G, P) LOADS)                                   \
    MOVED(6, 7, A, B, C, D3)                                                                       \
    MORE(G) HALVES_1(A, B, C, V, 2, V, 2)                                                          \
    NEXT_TAP(TAP_1, 6, 7, V, 3, V, 3, NO)                                                          \
    NEXT_TAP(TAP_1, B, C, W, 0, W, 0, NO)
#define ROW_2_5_APART(A, B, C, V, W, U, P, Q, E, F, G, LOADS, MORE, D1, D2, D3, D4)                \
    MOVED(6, 7, A, B, C, D1) FIRST_TAP(TAP_2, A, B, V, P, Q, E, F)                                 \
    NEXT_TAP(TAP_2, 6, 7, V, 2, V, 3, LAST_CELLS(F, G, P) LOADS)                                   \
    MOVED(6, 7, A, B, C, D3)                                                                       \
    MORE(G) HALVES_2(A, B, C, W, 0, W, 1)                                                          \
    NEXT_TAP(TAP_2, 6, 7, W, 2, W, 3, NO)                                                          \
    NEXT_TAP(TAP_2, B, C, U, 0, U, 1, NO)

/* All rows of N channels and W taps; H is how many vectors of weights a row has. */
#define SLID_ROWS(N, W, H, MORE, D1, D2, D3, D4)                                                   \
    PLACE SLID_LOADS_##N WEIGHTS_##H(0, 1, 2)                                                      \
    "ldr x14, [%[half], x9]\n" BIAS(10, 16, 17) "ldr x15, [%[behind], x9]\n"                       \
    "ldr x13, [%[last], x9]\n" BIAS(10, 18, 19) "ldr d24, [%[cells], x9]\n"                        \
    "ldr d25, [%[more], x9]\n" SLID_BIASES_##N TWO_PLACE(12) "ins v24.d[1], x14\n"                \
    LAST_CELLS(25, 26, 9) MORE(26)                                                                 \
    "1:\n" COUNT                                                                                   \
    ROW_##N##_##W(24, 25, 26, 0, 1, 2, 12, 9, 27, 28, 29, WEIGHTS_##H(3, 4, 5), MORE,              \
                  D1, D2, D3, D4)                                                                  \
    "b.eq 2f\n" COUNT                                                                              \
    ROW_##N##_##W(27, 28, 29, 3, 4, 5, 9, 12, 24, 25, 26, WEIGHTS_##H(0, 1, 2), MORE,              \
                  D1, D2, D3, D4)                                                                  \
    "b.ne 1b\n"                                                                                    \
    "2:\n"
/* Biases, and what is left to do with them behind those of the first channel. */
#define SLID_LOADS_1 LOAD(10, 0)
#define SLID_LOADS_2 LOAD(11, 16) LOAD(10, 0)
#define SLID_BIASES_1 NO
#define SLID_BIASES_2 BIAS(11, 20, 21) BIAS(11, 22, 23)
#define SLIDE_OUT_1 "=w"(s0), "=w"(s1), "=w"(s2), "=w"(s3)
#define SLIDE_OUT_2 SLIDE_OUT_1, "=w"(s4), "=w"(s5), "=w"(s6), "=w"(s7)
#define SLIDE(N, ...)                                                                              \
    __asm__ volatile(SLID_ROWS(N, __VA_ARGS__)                                                     \
                     : [at] "+&r"(at), [w] "+&r"(weights), [count] "+&r"(count), SLIDE_OUT_##N     \
                     : [cells] "r"(cells), [half] "r"(cells + 8), [more] "r"(cells + 16),          \
                       [behind] "r"(cells + 24), [third] "r"(cells + 32), [last] "r"(cells + 40),  \
                       [tables] "r"(tables)                                                        \
                     : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v0", "v1", "v2", "v3",     \
                       "v4", "v5", "v6", "v7", "v24", "v25", "v26", "v27", "v28", "v29", "v30",    \
                       "v31", "cc", "memory")
#define SLIDE_BY(N, H2, H3, H4, H5)                                                                \
    switch (8 * apart + taps) {                                                                    \
    case 8 + 2: SLIDE(N, 2, H2, FEW_CELLS, 2, 4, 6, 8); break;                                     \
    case 8 + 3: SLIDE(N, 3, H3, FEW_CELLS, 2, 4, 6, 8); break;                                     \
    case 8 + 4: SLIDE(N, 4, H4, FEW_CELLS, 2, 4, 6, 8); break;                                     \
    case 8 + 5: SLIDE(N, 5, H5, FEW_CELLS, 2, 4, 6, 8); break;                                     \
    case 16 + 2: SLIDE(N, 2, H2, FEW_CELLS, 4, 8, 12, 0); break;                                   \
    case 16 + 3: SLIDE(N, 3_APART, H3, FEW_CELLS, 4, 8, 12, 0); break;                             \
    case 16 + 4: SLIDE(N, 4_APART, H4, MORE_CELLS, 4, 8, 12, 0); break;                            \
    default: SLIDE(N, 5_APART, H5, MORE_CELLS, 4, 8, 12, 0); break;                                \
    }
/* clang-format on */

/* `count` rows of `taps` taps that are `apart` cells apart, one or two; `at` goes on with two
 * places that may be read, and weights with those of a row. */
INLINED void sum_slid_a53(const int8_t *cells, const uint16_t *at, int64_t count,
                          const int16_t *weights, const channel_table *tables, int channels,
                          int32_t taps, int32_t apart, int32x4_t *low, int32x4_t *high) {
    register int32x4_t s0 __asm__("v16");
    register int32x4_t s1 __asm__("v17");
    register int32x4_t s2 __asm__("v18");
    register int32x4_t s3 __asm__("v19");
    register int32x4_t s4 __asm__("v20");
    register int32x4_t s5 __asm__("v21");
    register int32x4_t s6 __asm__("v22");
    register int32x4_t s7 __asm__("v23");
    if (channels == 1) {
        SLIDE_BY(1, 1, 1, 1, 2)
    } else {
        SLIDE_BY(2, 1, 2, 2, 3)
        low[1] = s4, high[1] = s5;
        low[3] = s6, high[3] = s7;
    }
    low[0] = s0, high[0] = s1;
    low[channels] = s2, high[channels] = s3;
}

#endif
