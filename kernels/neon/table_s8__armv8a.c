/* Table, int8: four tables of 64 entries in registers. An index beyond one of them leaves the lane
 * to the others: four lookups for sixteen elements. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"
#include "dpl/neon/simd.h"

#define KERNEL dpl_table_s8__armv8a
typedef dpl_table_s8_args args;
typedef element source;

enum { LANES_OF_RUN = 16, QUARTER = 64 };

typedef struct {
    int8x16x4_t quarters[4];
} tables;

static inline tables tables_of(const int8_t *from) {
    tables t;
    UNROLLED for (int i = 0; i < 16; i++) {
        t.quarters[i / 4].val[i % 4] = vld1q_s8(from + LANES_OF_RUN * i);
    }
    return t;
}

static inline int8x16_t entries(const tables *t, int8x16_t x) {
    const uint8x16_t at = veorq_u8(vreinterpretq_u8_s8(x), vdupq_n_u8(128));
    int8x16_t y = vqtbl4q_s8(t->quarters[0], at);
    UNROLLED for (int i = 1; i < 4; i++) {
        const uint8x16_t in_quarter = vsubq_u8(at, vdupq_n_u8((uint8_t)(QUARTER * i)));
        y = vqtbx4q_s8(y, t->quarters[i], in_quarter);
    }
    return y;
}

/* One after the other: two loads and a store an element. */
static inline void run_few(const int8_t *table, const element *input, element *out, int32_t count) {
    const element *middle = table + 128;
    for (int32_t i = 0; i < count; i++) {
        out[i] = middle[input[i]];
    }
}

/* The last sixteen are read before anything is written, since the output may take the input's
 * place: they overlap those before. */
static inline void run_vectors(const tables *t, const element *input, element *out, int32_t count) {
    const int32_t last = count - LANES_OF_RUN;
    const int8x16_t x = vld1q_s8(input + last);
    for (int32_t i = 0; i < last; i += LANES_OF_RUN) {
        vst1q_s8(out + i, entries(t, vld1q_s8(input + i)));
    }
    vst1q_s8(out + last, entries(t, x));
}

/* Filling the registers takes as long as about 64 elements. */
static void run(const args *a, const element *input, element *out, int32_t count) {
    if (count < QUARTER) {
        run_few(a->table, input, out, count);
        return;
    }
    const tables t = tables_of(a->table);
    run_vectors(&t, input, out, count);
}

#include "dpl/body/runs.h"
