/* Blocks of four rows of eight lanes, 3x3 taps of int16, by the rule Q32 as a Cortex-A53 issues
 * them (docs/cortex-a53.md).
 *
 * A column of taps is twelve products of eight lanes, 24 cycles, beside which general registers are
 * loaded, and six vectors of pixels, whose first halves share a cycle with the insertion of the
 * half that came before: 30 cycles, each of which loads the pixels of the next column where one is
 * needed no more. Outputs take 32 cycles of int16, 34 of int8, biases for the next block among
 * them, which fill what results take: 122 and 124 cycles for 288 products. The last block's last
 * column loads the block's first one again.
 *
 * v0 to v5 hold the pixels, v6 to v14 the weights, v16 to v19 and v20 to v23 the sums of the first
 * and the last four lanes, v15 and v24 multipliers, v27 and v28 biases; x2 to x7 are last halves.
 */
#ifndef DPL_NEON_DEPTHWISE_TALL_A64_H
#define DPL_NEON_DEPTHWISE_TALL_A64_H

/* Products of a column with the weights A, B and C of its rows. The pixels of the next column are
 * at `x` + STEP and `high`, which goes on by THEN. */
/* clang-format off */
#define TALL_COLUMN(A, B, C, STEP, THEN, FIRST, SECOND)                                            \
    PRODUCT(16, 20, A, 0, "add %[x], %[x], " STEP "\n", "ldr x2, [%[high]]\n")                     \
    PRODUCT(16, 20, B, 1, "ldr x3, [%[high], %[s1]]\n", "ldr x4, [%[high], %[s2]]\n")              \
    FIRST_HALF(0, "%[x]")                                                                          \
    LAST_HALF(5, "x7")                                                                             \
    PRODUCT(17, 21, A, 1, "ldr x5, [%[high], %[s3]]\n", "ldr x6, [%[high], %[s4]]\n")              \
    FIRST_HALF(1, "%[x], %[s1]")                                                                   \
    LAST_HALF(0, "x2")                                                                             \
    PRODUCT(16, 20, C, 2, "ldr x7, [%[high], %[s5]]\n", "")                                        \
    PRODUCT(17, 21, B, 2, "add %[high], %[high], " THEN "\n", "")                                  \
    PRODUCT(18, 22, A, 2, FIRST, SECOND)                                                           \
    FIRST_HALF(2, "%[x], %[s2]")                                                                   \
    LAST_HALF(1, "x3")                                                                             \
    PRODUCT(17, 21, C, 3, "", "")                                                                  \
    PRODUCT(18, 22, B, 3, "", "")                                                                  \
    PRODUCT(19, 23, A, 3, "", "")                                                                  \
    FIRST_HALF(3, "%[x], %[s3]")                                                                   \
    LAST_HALF(2, "x4")                                                                             \
    PRODUCT(18, 22, C, 4, "", "")                                                                  \
    PRODUCT(19, 23, B, 4, "", "")                                                                  \
    FIRST_HALF(4, "%[x], %[s4]")                                                                   \
    LAST_HALF(3, "x5")                                                                             \
    PRODUCT(19, 23, C, 5, "", "")                                                                  \
    FIRST_HALF(5, "%[x], %[s5]")                                                                   \
    LAST_HALF(4, "x6")
/* clang-format on */

/* Of sums: eight halfwords of each row in v30, v31, v18 and v19; the first biases of the next
 * block.
 */
#define TALL_ROUNDED                                                                               \
    "sqdmulh v16.4s, v16.4s, v15.4s\n sqdmulh v17.4s, v17.4s, v15.4s\n"                            \
    "sqdmulh v18.4s, v18.4s, v15.4s\n sqdmulh v19.4s, v19.4s, v15.4s\n"                            \
    "sqdmulh v20.4s, v20.4s, v24.4s\n"                                                             \
    "sqrshrn v30.4h, v16.4s, #1\n sqrshrn v31.4h, v17.4s, #1\n"                                    \
    "sqdmulh v21.4s, v21.4s, v24.4s\n"                                                             \
    "sqrshrn v18.4h, v18.4s, #1\n sqrshrn v19.4h, v19.4s, #1\n"                                    \
    "sqdmulh v22.4s, v22.4s, v24.4s\n sqdmulh v23.4s, v23.4s, v24.4s\n"                            \
    "mov v16.16b, v27.16b\n"                                                                       \
    "sqrshrn2 v30.8h, v20.4s, #1\n sqrshrn2 v31.8h, v21.4s, #1\n"                                  \
    "mov v17.16b, v27.16b\n"                                                                       \
    "sqrshrn2 v18.8h, v22.4s, #1\n sqrshrn2 v19.8h, v23.4s, #1\n"                                  \
    "mov v20.16b, v28.16b\n"

static inline void run_tall_a53(const dpl_requant *q, const tall_run *r, const int8_t *piece,
                                const four_tables *tables) {
    const tall_limits by = tall_limits_of(q, tables);
    const int8_t *x = r->from, *high = x + 8;
    int64_t count = r->count, at = 0, turn;
    const int64_t s1 = r->row, back = -2 * r->column, next = r->step + back;
    /* clang-format off */
    __asm__ volatile(
        TALL_WEIGHTS
        "ldr q0, [%[x]]\n ldr q1, [%[x], %[s1]]\n"
        "ldr q2, [%[x], %[s2]]\n ldr q3, [%[x], %[s3]]\n"
        "ldr q4, [%[x], %[s4]]\n ldr d5, [%[x], %[s5]]\n"
        "ldr x7, [%[high], %[s5]]\n add %[high], %[high], %[column]\n"
        "mov v16.16b, v27.16b\n mov v17.16b, v27.16b\n mov v18.16b, v27.16b\n"
        "mov v19.16b, v27.16b\n mov v20.16b, v28.16b\n mov v21.16b, v28.16b\n"
        "mov v22.16b, v28.16b\n mov v23.16b, v28.16b\n"
        "1:\n"
        TALL_COLUMN(6, 9, 12, "%[column]", "%[column]", "subs %[count], %[count], #1\n",
                    "csel %[turn], %[next], %[back], ne\n")
        TALL_COLUMN(7, 10, 13, "%[column]", "%[turn]", "", "")
        TALL_COLUMN(8, 11, 14, "%[turn]", "%[column]", "", "")
        TALL_ROUNDED
        TALL_STORED
        "mov v18.16b, v27.16b\n add %[at], %[at], %[to_step]\n"
        "mov v19.16b, v27.16b\n b.ne 1b\n"
        : [x] "+&r"(x), [high] "+&r"(high), [count] "+&r"(count), [at] "+&r"(at),
          [turn] "=&r"(turn)
        : [s1] "r"(s1), [s2] "r"(2 * s1), [s3] "r"(3 * s1), [s4] "r"(4 * s1), [s5] "r"(5 * s1),
          [column] "r"(r->column), [next] "r"(next), [back] "r"(back), [to_step] "r"(r->to_step),
          [to0] "r"(r->to[0]), [to1] "r"(r->to[1]), [to2] "r"(r->to[2]), [to3] "r"(r->to[3]),
          [w] "r"(piece), TALL_LIMITS(by)
        : "x2", "x3", "x4", "x5", "x6", "x7", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
          "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
          "v22", "v23", "v24", "v27", "v28", "v30", "v31", "cc", "memory");
    /* clang-format on */
}

#undef TALL_COLUMN

#endif
