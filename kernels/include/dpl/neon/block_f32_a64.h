/* The sums of eight pixels by eight channels as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * A vector of weights or of values takes one cycle: its first half shares it with the insertion of
 * another one's last half, which came through a general register beside a product. A vector load
 * waits where a product was issued four cycles before it, since that one's sum is in the adder by
 * then. So loads are four cycles apart: each finds the one before there. The first of a chain finds
 * an insertion. Four values of eight pixels take 64 products, 16 loads and that insertion.
 *
 * v0 to v7 hold four values of a pixel each, v8 to v15 the weights of four values, v16 on the sums,
 * low and high channels of a pixel after the other. Pixels 4 to 7 and the last two values' weights
 * are loaded in the repeat that uses them, the others in the one before. */
#ifndef DPL_NEON_BLOCK_F32_A64_H
#define DPL_NEON_BLOCK_F32_A64_H

#include "dpl/neon/simd.h"

/* A pixel's value K, with what is issued behind each product. */
#define PIXEL(P, LOW, HIGH, W, V, K, E, F)                                                         \
    "fmla v" #LOW ".4s, v" #W ".4s, v" #P ".s[" #K "]\n" E "fmla v" #HIGH ".4s, v" #V ".4s, v" #P  \
    ".s[" #K "]\n" F

/* The first half of vector V from FROM, and the last of PREVIOUS from X; X from FROM. */
#define LOAD(V, FROM, PREVIOUS, X)                                                                 \
    "ldr d" #V ", [" FROM "]\n"                                                                    \
    "ins v" #PREVIOUS ".d[1], " X "\n"
#define HALF(X, FROM) "ldr " X ", [" FROM "]\n"
#define MOVE(X, BY) "add " X ", " X ", " BY "\n"
#define NO ""

/* `steps` of four values, at least one, behind the biases at `piece`. The last repeat loads for the
 * next one what was loaded: nothing is read behind a pixel or a piece. */
INLINED void sum_8x8_a53(const int8_t *const *pixel, const float *piece, int64_t steps,
                         float32x4_t *low, float32x4_t *high) {
    register float32x4_t s16 __asm__("v16");
    register float32x4_t s17 __asm__("v17");
    register float32x4_t s18 __asm__("v18");
    register float32x4_t s19 __asm__("v19");
    register float32x4_t s20 __asm__("v20");
    register float32x4_t s21 __asm__("v21");
    register float32x4_t s22 __asm__("v22");
    register float32x4_t s23 __asm__("v23");
    register float32x4_t s24 __asm__("v24");
    register float32x4_t s25 __asm__("v25");
    register float32x4_t s26 __asm__("v26");
    register float32x4_t s27 __asm__("v27");
    register float32x4_t s28 __asm__("v28");
    register float32x4_t s29 __asm__("v29");
    register float32x4_t s30 __asm__("v30");
    register float32x4_t s31 __asm__("v31");
    const float *now = piece + 8, *next = now; /* weights of the last two values, of the first */
    /* clang-format off */
    __asm__ volatile(
        "ldp q16, q17, [%[piece]]\n ldp q8, q9, [%[now]]\n ldp q10, q11, [%[now], #32]\n"
        "mov v18.16b, v16.16b\n ldr x20, [%[pixel]]\n"
        "mov v19.16b, v17.16b\n ldr x21, [%[pixel], #8]\n"
        "mov v20.16b, v16.16b\n ldr x22, [%[pixel], #16]\n"
        "mov v21.16b, v17.16b\n ldr x23, [%[pixel], #24]\n"
        "mov v22.16b, v16.16b\n ldr x24, [%[pixel], #32]\n"
        "mov v23.16b, v17.16b\n ldr x25, [%[pixel], #40]\n"
        "mov v24.16b, v16.16b\n ldr x26, [%[pixel], #48]\n"
        "mov v25.16b, v17.16b\n ldr x27, [%[pixel], #56]\n"
        "mov v26.16b, v16.16b\n ldr x13, [x23, #8]\n"
        "mov v27.16b, v17.16b\n mov v28.16b, v16.16b\n mov v29.16b, v17.16b\n"
        "mov v30.16b, v16.16b\n mov v31.16b, v17.16b\n"
        "ldr q0, [x20]\n ldr q1, [x21]\n ldr q2, [x22]\n ldr d3, [x23]\n"
        "1:\n"
        PIXEL(0, 16, 17, 8, 9, 0, LOAD(4, "x24", 3, "x13"), HALF("x12", "x24, #8"))
        PIXEL(1, 18, 19, 8, 9, 0, HALF("x13", "x25, #8"), LOAD(5, "x25", 4, "x12"))
        PIXEL(2, 20, 21, 8, 9, 0, "subs %[steps], %[steps], #1\n", HALF("x12", "x26, #8"))
        PIXEL(3, 22, 23, 8, 9, 0, LOAD(6, "x26", 5, "x13"), "mov x10, #16\n")
        PIXEL(4, 24, 25, 8, 9, 0, HALF("x13", "x27, #8"), LOAD(7, "x27", 6, "x12"))
        PIXEL(5, 26, 27, 8, 9, 0, "csel x10, xzr, x10, eq\n", HALF("x12", "%[now], #72"))
        PIXEL(6, 28, 29, 8, 9, 0, LOAD(12, "%[now], #64", 7, "x13"),
              MOVE("%[next]", "x10, lsl #3"))
        PIXEL(7, 30, 31, 8, 9, 0, HALF("x13", "%[now], #88"), LOAD(13, "%[now], #80", 12, "x12"))
        PIXEL(0, 16, 17, 10, 11, 1, NO, HALF("x12", "%[now], #104"))
        PIXEL(1, 18, 19, 10, 11, 1, LOAD(14, "%[now], #96", 13, "x13"), NO)
        PIXEL(2, 20, 21, 10, 11, 1, HALF("x13", "%[now], #120"),
              LOAD(15, "%[now], #112", 14, "x12"))
        PIXEL(3, 22, 23, 10, 11, 1, MOVE("%[now]", "#128"), HALF("x12", "%[next], #8"))
        PIXEL(4, 24, 25, 10, 11, 1, LOAD(8, "%[next]", 15, "x13"), MOVE("x24", "#16"))
        PIXEL(5, 26, 27, 10, 11, 1, HALF("x13", "%[next], #24"), LOAD(9, "%[next], #16", 8, "x12"))
        PIXEL(6, 28, 29, 10, 11, 1, MOVE("x25", "#16"), HALF("x12", "%[next], #40"))
        PIXEL(7, 30, 31, 10, 11, 1, LOAD(10, "%[next], #32", 9, "x13"), MOVE("x26", "#16"))
        PIXEL(0, 16, 17, 12, 13, 2, HALF("x13", "%[next], #56"),
              LOAD(11, "%[next], #48", 10, "x12"))
        PIXEL(1, 18, 19, 12, 13, 2, MOVE("x27", "#16"), NO)
        PIXEL(2, 20, 21, 12, 13, 2, MOVE("x20", "x10"), NO)
        PIXEL(3, 22, 23, 12, 13, 2, MOVE("x21", "x10"), NO)
        PIXEL(4, 24, 25, 12, 13, 2, MOVE("x22", "x10"), NO)
        PIXEL(5, 26, 27, 12, 13, 2, MOVE("x23", "x10"), NO)
        PIXEL(6, 28, 29, 12, 13, 2, NO, NO)
        PIXEL(7, 30, 31, 12, 13, 2, NO, NO)
        PIXEL(0, 16, 17, 14, 15, 3, NO, "ins v11.d[1], x13\n")
        PIXEL(1, 18, 19, 14, 15, 3, NO, HALF("x12", "x20, #8"))
        PIXEL(2, 20, 21, 14, 15, 3, "ldr d0, [x20]\n", NO)
        PIXEL(3, 22, 23, 14, 15, 3, HALF("x13", "x21, #8"), LOAD(1, "x21", 0, "x12"))
        PIXEL(4, 24, 25, 14, 15, 3, NO, HALF("x12", "x22, #8"))
        PIXEL(5, 26, 27, 14, 15, 3, LOAD(2, "x22", 1, "x13"), NO)
        PIXEL(6, 28, 29, 14, 15, 3, HALF("x13", "x23, #8"), LOAD(3, "x23", 2, "x12"))
        PIXEL(7, 30, 31, 14, 15, 3, NO, NO)
        "cbnz %[steps], 1b\n"
        : [now] "+r"(now), [next] "+r"(next), [steps] "+r"(steps), "=w"(s16), "=w"(s17), "=w"(s18), "=w"(s19), "=w"(s20), "=w"(s21), "=w"(s22), "=w"(s23), "=w"(s24), "=w"(s25), "=w"(s26), "=w"(s27), "=w"(s28), "=w"(s29), "=w"(s30), "=w"(s31)
        : [pixel] "r"(pixel), [piece] "r"(piece)
        : "x10", "x12", "x13", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "v0", "v1",
          "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
          "cc", "memory");
    /* clang-format on */
    low[0] = s16, high[0] = s17;
    low[1] = s18, high[1] = s19;
    low[2] = s20, high[2] = s21;
    low[3] = s22, high[3] = s23;
    low[4] = s24, high[4] = s25;
    low[5] = s26, high[5] = s27;
    low[6] = s28, high[6] = s29;
    low[7] = s30, high[7] = s31;
}

#endif
