/* The sums of eight pixels by four output channels as a Cortex-A53 issues them: the first half of a
 * piece whose last channels are none (docs/cortex-a53.md).
 *
 * A product takes a cycle, and beside it a register is loaded; halves of vectors are then inserted
 * by pairs. Eight values of eight pixels take 64 products and 12 such cycles.
 *
 * v0 to v7 hold eight values of a pixel each, v16 to v23 the sums, v24 to v31 the weights of a
 * value each. */
#ifndef DPL_NEON_BLOCK_HALF_S16_A64_H
#define DPL_NEON_BLOCK_HALF_S16_A64_H

#include "dpl/neon/block_s16_a64.h"

/* Value K of pixel P, with what is issued beside the product. */
#define SHORT_PIXEL(P, SUM, W, K, BESIDE)                                                          \
    "smlal v" #SUM ".4s, v" #W ".4h, v" #P ".h[" #K "]\n" BESIDE

/* clang-format off */
/* Value K of all pixels. */
#define SHORT_VALUE(W, K, A, B, C, D, E, F, G, H)                                                  \
    SHORT_PIXEL(0, 16, W, K, A) SHORT_PIXEL(1, 17, W, K, B) SHORT_PIXEL(2, 18, W, K, C)            \
    SHORT_PIXEL(3, 19, W, K, D) SHORT_PIXEL(4, 20, W, K, E) SHORT_PIXEL(5, 21, W, K, F)            \
    SHORT_PIXEL(6, 22, W, K, G) SHORT_PIXEL(7, 23, W, K, H)
/* clang-format on */

/* Weights of two values, from x12 and x13. */
#define TWO_WEIGHTS(V, W) "ins v" #V ".d[0], x12\n ins v" #W ".d[0], x13\n"
#define ADD_STEP(X) "add " X ", " X ", x10\n"

/* As sum_8x8_a53. */
static inline void sum_8x4_a53(const int8_t *const *pixel, const int8_t *weights, int64_t steps,
                               const int32_t *bias, int32x4_t *sums) {
    register int32x4_t s16 __asm__("v16");
    register int32x4_t s17 __asm__("v17");
    register int32x4_t s18 __asm__("v18");
    register int32x4_t s19 __asm__("v19");
    register int32x4_t s20 __asm__("v20");
    register int32x4_t s21 __asm__("v21");
    register int32x4_t s22 __asm__("v22");
    register int32x4_t s23 __asm__("v23");
    /* clang-format off */
    __asm__ volatile(
        "ldr q16, [%[bias]]\n"
        "ldr d24, [%[w]]\n ldr d25, [%[w], #16]\n ldr d26, [%[w], #32]\n ldr d27, [%[w], #48]\n"
        "mov v17.16b, v16.16b\n ldr x20, [%[pixel]]\n"
        "mov v18.16b, v16.16b\n ldr x21, [%[pixel], #8]\n"
        "mov v19.16b, v16.16b\n ldr x22, [%[pixel], #16]\n"
        "mov v20.16b, v16.16b\n ldr x23, [%[pixel], #24]\n"
        "mov v21.16b, v16.16b\n ldr x24, [%[pixel], #32]\n"
        "mov v22.16b, v16.16b\n ldr x25, [%[pixel], #40]\n"
        "mov v23.16b, v16.16b\n ldr x26, [%[pixel], #48]\n"
        "ldr d28, [%[w], #64]\n ldr x27, [%[pixel], #56]\n"
        "ldr d29, [%[w], #80]\n ldr d30, [%[w], #96]\n ldr d31, [%[w], #112]\n"
        "ldr q0, [x20]\n ldr q1, [x21]\n ldr q2, [x22]\n ldr q3, [x23]\n"
        "ldr q4, [x24]\n ldr q5, [x25]\n ldr q6, [x26]\n ldr q7, [x27]\n"
        "1:\n"
        SHORT_VALUE(24, 0, HALF("x12", "%[w], #128"), "subs %[steps], %[steps], #1\n",
                    "mov x10, #16\n", "csel x10, xzr, x10, eq\n", NO, NO, NO, NO)
        SHORT_VALUE(25, 1, HALF("x13", "%[w], #144"), ADD_STEP("x20"), ADD_STEP("x21"),
                    ADD_STEP("x22"), ADD_STEP("x23"), ADD_STEP("x24"), ADD_STEP("x25"),
                    ADD_STEP("x26"))
        TWO_WEIGHTS(24, 25)
        SHORT_VALUE(26, 2, HALF("x12", "%[w], #160"), ADD_STEP("x27"), NO, NO, NO, NO, NO, NO)
        SHORT_VALUE(27, 3, HALF("x13", "%[w], #176"), NO, NO, NO, NO, NO, NO, NO)
        TWO_WEIGHTS(26, 27)
        SHORT_VALUE(28, 4, HALF("x12", "%[w], #192"), NO, NO, NO, NO, NO, NO, NO)
        SHORT_VALUE(29, 5, HALF("x13", "%[w], #208"), NO, NO, NO, NO, NO, NO, NO)
        TWO_WEIGHTS(28, 29)
        SHORT_VALUE(30, 6, HALF("x12", "%[w], #224"), HALF("x14", "x20, #8"),
                    HALF("x15", "x21, #8"), HALF("x16", "x22, #8"), HALF("x17", "x23, #8"),
                    HALF("x4", "x24, #8"), HALF("x5", "x25, #8"), HALF("x6", "x26, #8"))
        SHORT_PIXEL(0, 16, 31, 7, HALF("x13", "%[w], #240"))
        "ldr d0, [x20]\n ins v30.d[0], x12\n"
        SHORT_PIXEL(1, 17, 31, 7, HALF("x7", "x27, #8"))
        LOAD(1, "x21", 0, "x14")
        SHORT_PIXEL(2, 18, 31, 7, "add %[w], %[w], #128\n")
        LOAD(2, "x22", 1, "x15")
        SHORT_PIXEL(3, 19, 31, 7, NO)
        LOAD(3, "x23", 2, "x16")
        SHORT_PIXEL(4, 20, 31, 7, NO)
        LOAD(4, "x24", 3, "x17")
        SHORT_PIXEL(5, 21, 31, 7, NO)
        LOAD(5, "x25", 4, "x4")
        SHORT_PIXEL(6, 22, 31, 7, NO)
        LOAD(6, "x26", 5, "x5")
        SHORT_PIXEL(7, 23, 31, 7, NO)
        LOAD(7, "x27", 6, "x6")
        "ins v7.d[1], x7\n ins v31.d[0], x13\n"
        "cbnz %[steps], 1b\n"
        : [w] "+r"(weights), [steps] "+r"(steps), "=w"(s16), "=w"(s17), "=w"(s18), "=w"(s19), "=w"(s20), "=w"(s21), "=w"(s22), "=w"(s23)
        : [pixel] "r"(pixel), [bias] "r"(bias)
        : "x4", "x5", "x6", "x7", "x10", "x12", "x13", "x14", "x15", "x16", "x17", "x20", "x21",
          "x22", "x23", "x24", "x25", "x26", "x27", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
          "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
    /* clang-format on */
    sums[0] = s16, sums[1] = s17, sums[2] = s18, sums[3] = s19;
    sums[4] = s20, sums[5] = s21, sums[6] = s22, sums[7] = s23;
}

#endif
