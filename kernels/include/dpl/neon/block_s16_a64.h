/* The sums of eight pixels by eight channels as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * As in block_s8_a64.h, a vector of weights or of values takes one cycle: its first half shares it
 * with the insertion of another one's last half. Eight values of eight pixels take 128 products and
 * 16 such cycles.
 *
 * v0 to v7 hold eight values of a pixel each, v8 to v11 the weights of one value, two values ahead,
 * v16 on the sums, low and high channels of a pixel after the other. */
#ifndef DPL_NEON_BLOCK_S16_A64_H
#define DPL_NEON_BLOCK_S16_A64_H

#include "dpl/neon/simd.h"

/* A pixel's value K, with what is issued behind each product. */
#define PIXEL(P, LOW, HIGH, W, K, E, F)                                                            \
    "smlal v" #LOW ".4s, v" #W ".4h, v" #P ".h[" #K "]\n" E "smlal2 v" #HIGH ".4s, v" #W           \
    ".8h, v" #P ".h[" #K "]\n" F

/* clang-format off */
/* Value K of all pixels, with what is issued behind the first product of each. */
#define VALUE(W, K, A, B, C, D, E, F, G, H)                                                        \
    PIXEL(0, 16, 17, W, K, A, NO)                                                                  \
    PIXEL(1, 18, 19, W, K, B, NO)                                                                  \
    PIXEL(2, 20, 21, W, K, C, NO)                                                                  \
    PIXEL(3, 22, 23, W, K, D, NO) PIXEL(4, 24, 25, W, K, E, NO) PIXEL(5, 26, 27, W, K, F, NO)      \
        PIXEL(6, 28, 29, W, K, G, NO) PIXEL(7, 30, 31, W, K, H, NO)

/* clang-format on */

/* The first half of vector V from FROM, and the last of PREVIOUS from X; X from FROM. */
#define LOAD(V, FROM, PREVIOUS, X)                                                                 \
    "ldr d" #V ", [" FROM "]\n"                                                                    \
    "ins v" #PREVIOUS ".d[1], " X "\n"
#define HALF(X, FROM) "ldr " X ", [" FROM "]\n"
#define NO ""

/* Of the last values loads for the next repeat what was loaded: nothing is read behind a pixel, and
 * of weights no more than a piece's tables. The sums begin with the biases at `bias` and behind a
 * four_tables. */
static inline void sum_8x8_a53(const int8_t *const *pixel, const int8_t *weights, int64_t steps,
                               const int32_t *bias, int32x4_t *low, int32x4_t *high) {
    register int32x4_t s16 __asm__("v16");
    register int32x4_t s17 __asm__("v17");
    register int32x4_t s18 __asm__("v18");
    register int32x4_t s19 __asm__("v19");
    register int32x4_t s20 __asm__("v20");
    register int32x4_t s21 __asm__("v21");
    register int32x4_t s22 __asm__("v22");
    register int32x4_t s23 __asm__("v23");
    register int32x4_t s24 __asm__("v24");
    register int32x4_t s25 __asm__("v25");
    register int32x4_t s26 __asm__("v26");
    register int32x4_t s27 __asm__("v27");
    register int32x4_t s28 __asm__("v28");
    register int32x4_t s29 __asm__("v29");
    register int32x4_t s30 __asm__("v30");
    register int32x4_t s31 __asm__("v31");
    /* clang-format off */
    __asm__ volatile(
        "ldr q16, [%[bias]]\n ldr q17, [%[bias], #64]\n ldp q8, q9, [%[w]]\n"
        "mov v18.16b, v16.16b\n ldr x20, [%[pixel]]\n"
        "mov v19.16b, v17.16b\n ldr x21, [%[pixel], #8]\n"
        "mov v20.16b, v16.16b\n ldr x22, [%[pixel], #16]\n"
        "mov v21.16b, v17.16b\n ldr x23, [%[pixel], #24]\n"
        "mov v22.16b, v16.16b\n ldr x24, [%[pixel], #32]\n"
        "mov v23.16b, v17.16b\n ldr x25, [%[pixel], #40]\n"
        "mov v24.16b, v16.16b\n ldr x26, [%[pixel], #48]\n"
        "mov v25.16b, v17.16b\n ldr x27, [%[pixel], #56]\n"
        "mov v26.16b, v16.16b\n mov v27.16b, v17.16b\n"
        "mov v28.16b, v16.16b\n ldr x6, [x26, #8]\n"
        "mov v29.16b, v17.16b\n ldr x7, [x27, #8]\n"
        "mov v30.16b, v16.16b\n mov v31.16b, v17.16b\n"
        "ldr q0, [x20]\n ldr q1, [x21]\n ldr q2, [x22]\n ldr q3, [x23]\n"
        "ldr q4, [x24]\n ldr q5, [x25]\n ldr d6, [x26]\n"
        "1:\n"
        LOAD(7, "x27", 6, "x6")
        VALUE(8, 0, HALF("x12", "%[w], #40"), LOAD(10, "%[w], #32", 7, "x7"), NO, NO, NO, NO, NO,
              NO)
        VALUE(9, 1, HALF("x13", "%[w], #56"), LOAD(11, "%[w], #48", 10, "x12"),
              "subs %[steps], %[steps], #1\n", "mov x10, #16\n", "csel x10, xzr, x10, eq\n", NO,
              NO, NO)
        VALUE(10, 2, HALF("x12", "%[w], #72"), LOAD(8, "%[w], #64", 11, "x13"), NO, NO, NO, NO, NO,
              NO)
        VALUE(11, 3, HALF("x13", "%[w], #88"), LOAD(9, "%[w], #80", 8, "x12"), NO, NO, NO, NO, NO,
              NO)
        VALUE(8, 4, HALF("x12", "%[w], #104"), LOAD(10, "%[w], #96", 9, "x13"),
              "add x20, x20, x10\n", "add x21, x21, x10\n", "add x22, x22, x10\n",
              "add x23, x23, x10\n", "add x24, x24, x10\n", "add x25, x25, x10\n")
        VALUE(9, 5, HALF("x13", "%[w], #120"), LOAD(11, "%[w], #112", 10, "x12"),
              "add x26, x26, x10\n", "add x27, x27, x10\n", "add %[w], %[w], #128\n",
              HALF("x14", "x20, #8"), HALF("x15", "x21, #8"), HALF("x16", "x22, #8"))
        VALUE(10, 6, HALF("x12", "%[w], #8"), LOAD(8, "%[w]", 11, "x13"), HALF("x17", "x23, #8"),
              HALF("x4", "x24, #8"), HALF("x5", "x25, #8"), HALF("x6", "x26, #8"),
              HALF("x7", "x27, #8"), HALF("x13", "%[w], #24"))
        PIXEL(0, 16, 17, 11, 7, LOAD(9, "%[w], #16", 8, "x12"), LOAD(0, "x20", 9, "x13"))
        PIXEL(1, 18, 19, 11, 7, NO, LOAD(1, "x21", 0, "x14"))
        PIXEL(2, 20, 21, 11, 7, NO, LOAD(2, "x22", 1, "x15"))
        PIXEL(3, 22, 23, 11, 7, NO, LOAD(3, "x23", 2, "x16"))
        PIXEL(4, 24, 25, 11, 7, NO, LOAD(4, "x24", 3, "x17"))
        PIXEL(5, 26, 27, 11, 7, NO, LOAD(5, "x25", 4, "x4"))
        PIXEL(6, 28, 29, 11, 7, NO, LOAD(6, "x26", 5, "x5"))
        PIXEL(7, 30, 31, 11, 7, NO, NO)
        "cbnz %[steps], 1b\n"
        : [w] "+r"(weights), [steps] "+r"(steps), "=w"(s16), "=w"(s17), "=w"(s18), "=w"(s19), "=w"(s20), "=w"(s21), "=w"(s22), "=w"(s23), "=w"(s24), "=w"(s25), "=w"(s26), "=w"(s27), "=w"(s28), "=w"(s29), "=w"(s30), "=w"(s31)
        : [pixel] "r"(pixel), [bias] "r"(bias)
        : "x4", "x5", "x6", "x7", "x10", "x12", "x13", "x14", "x15", "x16", "x17", "x20", "x21",
          "x22", "x23", "x24", "x25", "x26", "x27", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
          "v8", "v9", "v10", "v11", "cc", "memory");
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
