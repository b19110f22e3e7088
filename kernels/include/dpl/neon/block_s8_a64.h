/* The sums of four pixels by four channels as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * A cycle issues one product on 128 bits, beside which an integer load or an addition is free.
 * SADALP takes two, and nothing beside it. A load of 64 bits to a vector register takes a cycle
 * that it shares with the insertion of the other half, which came by an integer register three
 * cycles before: so sixteen bytes take one. Sixteen vectors, 64 products and 16 SADALP make 112
 * cycles for 512 products of values. Operations that depend on each other are four apart. The first
 * quad begins the sums by SADDLP, a cycle each.
 *
 * v0 to v3 and v4 to v7 hold sixteen values each of the pixels, v8 to v11 those of weights, v12 to
 * v15 sums of 16 bits, v16 on those of 32, four channels a pixel. x10 and x11 are where in a window
 * the next values are; x13 and x14 second halves of weights, x15, x16, x17 and x9 those of pixels.
 */
#ifndef DPL_NEON_BLOCK_S8_A64_H
#define DPL_NEON_BLOCK_S8_A64_H

#include "dpl/neon/simd.h"

/* Four operations on the pixels, with what is issued behind each. */
#define MULL(W, E, F, G, H)                                                                        \
    "smull v12.8h, v0.8b, v" #W ".8b\n" E "smull v13.8h, v1.8b, v" #W ".8b\n" F                    \
    "smull v14.8h, v2.8b, v" #W ".8b\n" G "smull v15.8h, v3.8b, v" #W ".8b\n" H
#define MLAL2(W, E, F, G, H)                                                                       \
    "smlal2 v12.8h, v0.16b, v" #W ".16b\n" E "smlal2 v13.8h, v1.16b, v" #W ".16b\n" F              \
    "smlal2 v14.8h, v2.16b, v" #W ".16b\n" G "smlal2 v15.8h, v3.16b, v" #W ".16b\n" H
#define LAST_MLAL(W, E, F, G, H)                                                                   \
    "smlal v12.8h, v4.8b, v" #W ".8b\n" E "smlal v13.8h, v5.8b, v" #W ".8b\n" F                    \
    "smlal v14.8h, v6.8b, v" #W ".8b\n" G "smlal v15.8h, v7.8b, v" #W ".8b\n" H
#define LAST_MLAL2(W, E, F, G, H)                                                                  \
    "smlal2 v12.8h, v4.16b, v" #W ".16b\n" E "smlal2 v13.8h, v5.16b, v" #W ".16b\n" F              \
    "smlal2 v14.8h, v6.16b, v" #W ".16b\n" G "smlal2 v15.8h, v7.16b, v" #W ".16b\n" H
/* Sums of 32 bits by ADD, with what is issued behind each. */
#define SUMS(ADD, A, B, C, D, E, F, G, H)                                                          \
    ADD " v" #A ".4s, v12.8h\n" E ADD " v" #B ".4s, v13.8h\n" F ADD " v" #C ".4s, v14.8h\n" G ADD  \
        " v" #D ".4s, v15.8h\n" H

/* The first half of vector V from FROM, and the last of PREVIOUS from X; X from FROM. */
#define LOAD(V, FROM, PREVIOUS, X)                                                                 \
    "ldr d" #V ", [" FROM "]\n"                                                                    \
    "ins v" #PREVIOUS ".d[1], " X "\n"
#define HALF(X, FROM) "ldr " X ", [" FROM "]\n"
#define NO ""

/* clang-format off */
/* A quad of the first channel, and of the three others. These load for the next quad, the last one
 * what is first in the window; of weights that is no more than a piece's tables. */
#define CHANNEL_0                                                                                  \
    MULL(8, HALF("x13", "%[w], #24"), LOAD(10, "%[w], #16", 7, "x9"), HALF("x14", "%[w], #88"), NO) \
    MLAL2(8, NO, LOAD(11, "%[w], #80", 10, "x13"), HALF("x13", "%[w], #40"), NO)                   \
    LAST_MLAL(9, NO, LOAD(8, "%[w], #32", 11, "x14"), HALF("x14", "%[w], #104"), NO)               \
    LAST_MLAL2(9, NO, NO, NO, NO)                                                                  \
    SUMS("sadalp", 16, 20, 24, 28, NO, LOAD(9, "%[w], #96", 8, "x13"), NO, NO)
#define CHANNELS_1_TO_3(ADD)                                                                       \
    MULL(10, HALF("x13", "%[w], #56"), "subs %[quads], %[quads], #1\n", NO, NO)                    \
    MLAL2(10, NO, "ldr w10, [%[at]]\n", "ldr w11, [%[at], #4]\n", "add %[at], %[at], #8\n")       \
    LAST_MLAL(11, NO, LOAD(10, "%[w], #48", 9, "x14"), HALF("x14", "%[w], #120"), NO)              \
    LAST_MLAL2(11, NO, NO, NO, NO)                                                                 \
    SUMS(ADD, 17, 21, 25, 29, NO, LOAD(11, "%[w], #112", 10, "x13"), NO, NO)                       \
    MULL(8, "add %[w], %[w], #128\n", NO, NO, HALF("x13", "%[w], #8"))                             \
    MLAL2(8, "add x12, x10, #8\n", NO, NO, NO)                                                     \
    LAST_MLAL(9, NO, LOAD(8, "%[w]", 11, "x14"), HALF("x14", "%[w], #72"), NO)                     \
    LAST_MLAL2(9, NO, NO, NO, NO)                                                                  \
    SUMS(ADD, 18, 22, 26, 30, NO, LOAD(9, "%[w], #64", 8, "x13"), NO, NO)                          \
    MULL(10, "add x13, x11, #8\n", NO, NO, NO)                                                     \
    MLAL2(10, HALF("x15", "%[p0], x12"), HALF("x16", "%[p1], x12"), HALF("x17", "%[p2], x12"),     \
          HALF("x9", "%[p3], x12"))                                                                \
    LAST_MLAL(11, LOAD(0, "%[p0], x10", 9, "x14"), LOAD(1, "%[p1], x10", 0, "x15"),                \
              LOAD(2, "%[p2], x10", 1, "x16"), LOAD(3, "%[p3], x10", 2, "x17"))                    \
    LAST_MLAL2(11, HALF("x15", "%[p0], x13") LOAD(4, "%[p0], x11", 3, "x9"),                       \
               HALF("x16", "%[p1], x13"), HALF("x17", "%[p2], x13"), HALF("x9", "%[p3], x13"))     \
    SUMS(ADD, 19, 23, 27, 31, LOAD(5, "%[p1], x11", 4, "x15"), LOAD(6, "%[p2], x11", 5, "x16"),    \
         LOAD(7, "%[p3], x11", 6, "x17"), NO)

/* A first quad of the first channel: products begin before second halves are there. */
#define FIRST_CHANNEL                                                                              \
    "ldr w10, [%[at]]\n ldr w11, [%[at], #4]\n add %[at], %[at], #8\n"                             \
    "ldr d8, [%[w]]\n add x12, x10, #8\n ldr x13, [%[w], #8]\n"                                    \
    "ldr d0, [%[p0], x10]\n ldr d1, [%[p1], x10]\n ldr d2, [%[p2], x10]\n ldr d3, [%[p3], x10]\n"  \
    MULL(8, HALF("x9", "%[p3], x12"), HALF("x15", "%[p0], x12"), HALF("x16", "%[p1], x12"),         \
         HALF("x17", "%[p2], x12") "add x12, x11, #8\n")                                           \
    LOAD(9, "%[w], #64", 8, "x13") LOAD(4, "%[p0], x11", 0, "x15")                                 \
    LOAD(5, "%[p1], x11", 1, "x16") LOAD(6, "%[p2], x11", 2, "x17") LOAD(7, "%[p3], x11", 3, "x9") \
    MLAL2(8, HALF("x14", "%[w], #72"), HALF("x15", "%[p0], x12"), HALF("x16", "%[p1], x12"),       \
          HALF("x17", "%[p2], x12"))                                                               \
    LAST_MLAL(9, HALF("x9", "%[p3], x12"), HALF("x13", "%[w], #24"), NO, NO)                       \
    LOAD(10, "%[w], #16", 9, "x14") LOAD(11, "%[w], #80", 4, "x15")                                \
    "ins v5.d[1], x16\n ins v6.d[1], x17\n"                                                        \
    LOAD(8, "%[w], #32", 7, "x9")                                                                  \
    LAST_MLAL2(9, HALF("x14", "%[w], #88"), HALF("x15", "%[w], #40"), HALF("x16", "%[w], #104"),   \
               NO)                                                                                 \
    "ins v10.d[1], x13\n ins v11.d[1], x14\n"                                                      \
    SUMS("saddlp", 16, 20, 24, 28, NO, LOAD(9, "%[w], #96", 8, "x15"), "mov x14, x16\n", NO)
/* clang-format on */

/* `quads` times 32 values, then `pairs` times 16, from `at` in a window, which goes on with two
 * places that may be read. */
static inline void sum_4x4_a53(const int8_t *const *pixel, const int8_t *weights, const int32_t *at,
                               int64_t quads, int64_t pairs, int32x4_t *sums) {
    register int32x4_t s0 __asm__("v16");
    register int32x4_t s1 __asm__("v17");
    register int32x4_t s2 __asm__("v18");
    register int32x4_t s3 __asm__("v19");
    const int8_t *p0 = pixel[0], *p1 = pixel[1], *p2 = pixel[2], *p3 = pixel[3];
    /* clang-format off */
    __asm__ volatile(
        "cbz %[quads], 2f\n"
        FIRST_CHANNEL
        CHANNELS_1_TO_3("saddlp")
        "cbz %[quads], 3f\n"
        "1:\n"
        CHANNEL_0
        CHANNELS_1_TO_3("sadalp")
        "cbnz %[quads], 1b\n"
        "b 3f\n"
        "2:\n"
        "ldr w10, [%[at]]\n add %[at], %[at], #8\n"
        "movi v16.4s, #0\n movi v17.4s, #0\n movi v18.4s, #0\n movi v19.4s, #0\n"
        "movi v20.4s, #0\n movi v21.4s, #0\n movi v22.4s, #0\n movi v23.4s, #0\n"
        "movi v24.4s, #0\n movi v25.4s, #0\n movi v26.4s, #0\n movi v27.4s, #0\n"
        "movi v28.4s, #0\n movi v29.4s, #0\n movi v30.4s, #0\n movi v31.4s, #0\n"
        "ldr q0, [%[p0], x10]\n ldr q1, [%[p1], x10]\n ldr q2, [%[p2], x10]\n"
        "ldr q3, [%[p3], x10]\n ldr q8, [%[w]]\n"
        "3:\n"
        "cbz %[pairs], 5f\n"
        "sub %[at], %[at], #4\n add x12, x10, #8\n"
        "ldr q10, [%[w], #16]\n ldr x9, [%[p3], x12]\n"
        "4:\n"
        MULL(8, HALF("x13", "%[w], #40"), LOAD(9, "%[w], #32", 3, "x9"), "ldr w10, [%[at]], #4\n",
             HALF("x14", "%[w], #56"))
        MLAL2(8, NO, LOAD(11, "%[w], #48", 9, "x13"),
              "add %[w], %[w], #64\n", "subs %[pairs], %[pairs], #1\n")
        SUMS("sadalp", 16, 20, 24, 28, NO, NO, NO, NO)

        MULL(10, HALF("x13", "%[w], #8"), "add x12, x10, #8\n", NO, LOAD(8, "%[w]", 11, "x14"))
        MLAL2(10, HALF("x14", "%[w], #24"), NO, NO, NO)
        SUMS("sadalp", 17, 21, 25, 29, NO, NO, NO, NO)

        MULL(9, NO, NO, LOAD(10, "%[w], #16", 8, "x13"), NO)
        MLAL2(9, HALF("x15", "%[p0], x12"), HALF("x16", "%[p1], x12"), HALF("x17", "%[p2], x12"),
              HALF("x9", "%[p3], x12"))
        SUMS("sadalp", 18, 22, 26, 30, NO, NO, NO, NO)

        MULL(11, NO, NO, NO, NO)
        MLAL2(11, LOAD(0, "%[p0], x10", 10, "x14"), LOAD(1, "%[p1], x10", 0, "x15"),
              LOAD(2, "%[p2], x10", 1, "x16"), LOAD(3, "%[p3], x10", 2, "x17"))
        SUMS("sadalp", 19, 23, 27, 31, NO, NO, NO, NO)
        "cbnz %[pairs], 4b\n"
        "5:\n"
        "addp v16.4s, v16.4s, v17.4s\n addp v18.4s, v18.4s, v19.4s\n"
        "addp v20.4s, v20.4s, v21.4s\n addp v22.4s, v22.4s, v23.4s\n"
        "addp v24.4s, v24.4s, v25.4s\n addp v26.4s, v26.4s, v27.4s\n"
        "addp v28.4s, v28.4s, v29.4s\n addp v30.4s, v30.4s, v31.4s\n"
        "addp v16.4s, v16.4s, v18.4s\n addp v17.4s, v20.4s, v22.4s\n"
        "addp v18.4s, v24.4s, v26.4s\n addp v19.4s, v28.4s, v30.4s\n"
        : [w] "+r"(weights), [at] "+r"(at), [quads] "+r"(quads), [pairs] "+r"(pairs), "=w"(s0),
          "=w"(s1), "=w"(s2), "=w"(s3)
        : [p0] "r"(p0), [p1] "r"(p1), [p2] "r"(p2), [p3] "r"(p3)
        : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3",
          "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v20",
          "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc",
          "memory");
    /* clang-format on */
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

#endif
