/* Table, int8: four tables of 64 entries in registers. An index beyond one of them leaves the lane
 * to the others: four lookups for sixteen elements. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"
#include "dpl/neon/simd.h"

#define KERNEL dpl_table_s8__armv8a
typedef dpl_table_s8_args args;
typedef element source;

enum { LANES_OF_RUN = 16, QUARTER = 64 };

#if defined(__aarch64__)

/* Sixteen elements of v0 to v1. */
#define ENTRIES                                                                                    \
    "eor v0.16b, v0.16b, v2.16b\n"                                                                 \
    "tbl v1.16b, {v16.16b-v19.16b}, v0.16b\n sub v0.16b, v0.16b, v3.16b\n"                         \
    "tbx v1.16b, {v20.16b-v23.16b}, v0.16b\n sub v0.16b, v0.16b, v3.16b\n"                         \
    "tbx v1.16b, {v24.16b-v27.16b}, v0.16b\n sub v0.16b, v0.16b, v3.16b\n"                         \
    "tbx v1.16b, {v28.16b-v31.16b}, v0.16b\n"

/* `vectors` times sixteen elements and then `x` to `last`: 32 cycles for sixteen, 23 of them the
 * lookups (pipeline model of the Cortex-A53). Compilers do not keep four tables in registers. */
static inline void look_up(const int8_t *table, const element *input, element *out, int32_t vectors,
                           int8x16_t x, element *last) {
    __asm__ volatile(
        "ld1 {v16.16b-v19.16b}, [%[table]], #64\n"
        "ld1 {v20.16b-v23.16b}, [%[table]], #64\n"
        "ld1 {v24.16b-v27.16b}, [%[table]], #64\n"
        "ld1 {v28.16b-v31.16b}, [%[table]]\n"
        "movi v2.16b, #128\n movi v3.16b, #64\n"
        "cbz %w[vectors], 2f\n"
        "1:\n ldr q0, [%[input]], #16\n" ENTRIES "subs %w[vectors], %w[vectors], #1\n"
        "str q1, [%[out]], #16\n b.ne 1b\n"
        "2:\n mov v0.16b, %[x].16b\n" ENTRIES "str q1, [%[last]]\n"
        : [table] "+r"(table), [input] "+r"(input), [out] "+r"(out), [vectors] "+r"(vectors)
        : [x] "w"(x), [last] "r"(last)
        : "cc", "memory", "v0", "v1", "v2", "v3", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
          "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#else

static inline int8x16_t entries(const int8_t *table, int8x16_t x) {
    const uint8x16_t at = veorq_u8(vreinterpretq_u8_s8(x), vdupq_n_u8(128));
    int8x16_t y = vdupq_n_s8(0);
    UNROLLED for (int i = 0; i < 4; i++) {
        const int8_t *from = table + QUARTER * i;
        const int8x16x4_t quarter = {{vld1q_s8(from), vld1q_s8(from + LANES_OF_RUN),
                                      vld1q_s8(from + 2 * LANES_OF_RUN),
                                      vld1q_s8(from + 3 * LANES_OF_RUN)}};
        y = vqtbx4q_s8(y, quarter, vsubq_u8(at, vdupq_n_u8((uint8_t)(QUARTER * i))));
    }
    return y;
}

static inline void look_up(const int8_t *table, const element *input, element *out, int32_t vectors,
                           int8x16_t x, element *last) {
    for (; vectors > 0; vectors--, input += LANES_OF_RUN, out += LANES_OF_RUN) {
        vst1q_s8(out, entries(table, vld1q_s8(input)));
    }
    vst1q_s8(last, entries(table, x));
}

#endif

/* One after the other: two loads and a store an element. */
static inline void run_few(const int8_t *table, const element *input, element *out, int32_t count) {
    const element *middle = table + 128;
    for (int32_t i = 0; i < count; i++) {
        out[i] = middle[input[i]];
    }
}

/* The last sixteen are read before anything is written, since the output may take the input's
 * place: they overlap those before. Filling the registers takes as long as four elements one after
 * the other. */
static void run(const args *a, const element *input, element *out, int32_t count) {
    if (count < LANES_OF_RUN) {
        run_few(a->table, input, out, count);
        return;
    }
    const int32_t last = count - LANES_OF_RUN;
    look_up(a->table, input, out, (count - 1) / LANES_OF_RUN, vld1q_s8(input + last), out + last);
}

#include "dpl/body/runs.h"
