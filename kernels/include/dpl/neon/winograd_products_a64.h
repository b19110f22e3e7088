/* The sums of a block of tiles by eight channels as a Cortex-A53 issues them (docs/cortex-a53.md).
 *
 * As in block_s16_a64.h, a vector of weights or of values takes one cycle: its first half shares it
 * with the insertion of another one's last half. Eight values of eight tiles take 128 products and
 * 16 such cycles. The first value of a position multiplies without adding, so that nothing is
 * cleared; 16 stores end it. Both sides lie in the order in which they are used: loads for the next
 * step are those of the next position where one ends.
 *
 * v0 to v7 hold eight values of a tile each, v8 to v11 the weights of one value, two values ahead,
 * v16 on the sums, low and high channels of a tile after the other. */
#ifndef DPL_NEON_WINOGRAD_PRODUCTS_A64_H
#define DPL_NEON_WINOGRAD_PRODUCTS_A64_H

#include "dpl/neon/winograd.h"

/* A tile's value K by OP, with what is issued behind each product. */
#define TILE(OP, T, LOW, HIGH, W, K, E, F)                                                         \
    OP " v" #LOW ".4s, v" #W ".4h, v" #T ".h[" #K "]\n" E OP "2 v" #HIGH ".4s, v" #W ".8h, v" #T   \
       ".h[" #K "]\n" F

/* clang-format off */
/* Value K of all tiles, with what is issued behind the first product of each. */
#define VALUE(OP, W, K, A, B, C, D, E, F, G, H)                                                    \
    TILE(OP, 0, 16, 17, W, K, A, NO) TILE(OP, 1, 18, 19, W, K, B, NO)                              \
    TILE(OP, 2, 20, 21, W, K, C, NO) TILE(OP, 3, 22, 23, W, K, D, NO)                              \
    TILE(OP, 4, 24, 25, W, K, E, NO) TILE(OP, 5, 26, 27, W, K, F, NO)                              \
    TILE(OP, 6, 28, 29, W, K, G, NO) TILE(OP, 7, 30, 31, W, K, H, NO)

/* The first half of vector V from FROM, and the last of PREVIOUS from X; X from FROM. */
#define LOAD(V, FROM, PREVIOUS, X)                                                                 \
    "ldr d" #V ", [" FROM "]\n"                                                                    \
    "ins v" #PREVIOUS ".d[1], " X "\n"
#define HALF(X, FROM) "ldr " X ", [" FROM "]\n"
#define NO ""

/* Eight values; OP is what the first of them takes. */
#define EIGHT_VALUES(OP)                                                                           \
    VALUE(OP, 8, 0, HALF("x12", "%[w], #40"), LOAD(10, "%[w], #32", 7, "x7"), NO, NO, NO, NO, NO,  \
          NO)                                                                                      \
    VALUE("smlal", 9, 1, HALF("x13", "%[w], #56"), LOAD(11, "%[w], #48", 10, "x12"), NO, NO, NO,   \
          NO, NO, NO)                                                                              \
    VALUE("smlal", 10, 2, HALF("x12", "%[w], #72"), LOAD(8, "%[w], #64", 11, "x13"), NO, NO, NO,   \
          NO, NO, NO)                                                                              \
    VALUE("smlal", 11, 3, HALF("x13", "%[w], #88"), LOAD(9, "%[w], #80", 8, "x12"), NO, NO, NO,    \
          NO, NO, NO)                                                                              \
    VALUE("smlal", 8, 4, HALF("x12", "%[w], #104"), LOAD(10, "%[w], #96", 9, "x13"),               \
          "add %[v], %[v], #128\n", "sub x9, x9, #1\n", NO, NO, NO, NO)                            \
    VALUE("smlal", 9, 5, HALF("x13", "%[w], #120"), LOAD(11, "%[w], #112", 10, "x12"),             \
          "add %[w], %[w], #128\n", NO, NO, HALF("x14", "%[v], #8"), HALF("x15", "%[v], #24"),     \
          HALF("x16", "%[v], #40"))                                                                \
    VALUE("smlal", 10, 6, HALF("x12", "%[w], #8"), LOAD(8, "%[w]", 11, "x13"),                     \
          HALF("x17", "%[v], #56"), HALF("x4", "%[v], #72"), HALF("x5", "%[v], #88"),              \
          HALF("x6", "%[v], #104"), HALF("x7", "%[v], #120"), HALF("x13", "%[w], #24"))            \
    TILE("smlal", 0, 16, 17, 11, 7, LOAD(9, "%[w], #16", 8, "x12"), LOAD(0, "%[v]", 9, "x13"))     \
    TILE("smlal", 1, 18, 19, 11, 7, NO, LOAD(1, "%[v], #16", 0, "x14"))                            \
    TILE("smlal", 2, 20, 21, 11, 7, NO, LOAD(2, "%[v], #32", 1, "x15"))                            \
    TILE("smlal", 3, 22, 23, 11, 7, NO, LOAD(3, "%[v], #48", 2, "x16"))                            \
    TILE("smlal", 4, 24, 25, 11, 7, NO, LOAD(4, "%[v], #64", 3, "x17"))                            \
    TILE("smlal", 5, 26, 27, 11, 7, NO, LOAD(5, "%[v], #80", 4, "x4"))                             \
    TILE("smlal", 6, 28, 29, 11, 7, NO, LOAD(6, "%[v], #96", 5, "x5"))                             \
    TILE("smlal", 7, 30, 31, 11, 7, NO, LOAD(7, "%[v], #112", 6, "x6"))

/* Loads of the last step reach 128 bytes behind the values and the weights: sums lie behind those,
 * tables behind these. */
static inline void sum_block_a53(const int16_t *values, const int16_t *weights, int64_t steps,
                                 int32_t *sums) {
    int64_t positions = POSITIONS;
    __asm__ volatile(
        "ldp q0, q1, [%[v]]\n ldp q2, q3, [%[v], #32]\n ldp q4, q5, [%[v], #64]\n"
        "ldr q6, [%[v], #96]\n ldr d7, [%[v], #112]\n ldr x7, [%[v], #120]\n"
        "ldp q8, q9, [%[w]]\n"
        "1:\n"
        "mov x9, %[steps]\n"
        EIGHT_VALUES("smull")
        "cbz x9, 3f\n"
        "2:\n"
        EIGHT_VALUES("smlal")
        "cbnz x9, 2b\n"
        "3:\n"
        "subs %[positions], %[positions], #1\n"
        "stp q16, q17, [%[sums]]\n stp q18, q19, [%[sums], #32]\n"
        "stp q20, q21, [%[sums], #64]\n stp q22, q23, [%[sums], #96]\n"
        "stp q24, q25, [%[sums], #128]\n stp q26, q27, [%[sums], #160]\n"
        "stp q28, q29, [%[sums], #192]\n stp q30, q31, [%[sums], #224]\n"
        "add %[sums], %[sums], #256\n"
        "b.ne 1b\n"
        : [v] "+r"(values), [w] "+r"(weights), [sums] "+r"(sums), [positions] "+r"(positions)
        : [steps] "r"(steps)
        : "x4", "x5", "x6", "x7", "x9", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2",
          "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v16", "v17", "v18", "v19", "v20",
          "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc",
          "memory");
}
/* clang-format on */

_Static_assert(SUMS * sizeof(int32_t) == 256, "what a position's stores write");

#endif
