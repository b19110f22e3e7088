/* Sums of the taps of eight channels, of any type. */
#ifndef DPL_NEON_DEPTHWISE_TAPS_H
#define DPL_NEON_DEPTHWISE_TAPS_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/copies.h"
#include "dpl/neon/scale.h"

#define WIDTH DPL_DEPTHWISE_CHANNELS
#define PIXELS DPL_NARROW_BLOCK_PIXELS

/* Loops over pixels are unrolled: their sums stay in registers. */
#define UNROLLED _Pragma("GCC unroll 16")

/* Where a pixel's taps lie, an even number, and whether products of two of int8 fit 16 bits. */
typedef struct {
    const int8_t **at;
    int32_t count, pairs_fit;
} tap_list;

/* Of eight channels. */
typedef struct {
    int32x4_t low, high;
} eight_sums;

/* Eight channels, `from` bytes behind the taps, of COUNT pixels `step` bytes apart. */
#define SUM_TAPS(NAME, COUNT, VECTOR, LOAD, ADD)                                                   \
    static inline void NAME(const tap_list *taps, int32_t from, int32_t step, const int8_t *piece, \
                            eight_sums *sums) {                                                    \
        eight_sums held[COUNT];                                                                    \
        UNROLLED for (int i = 0; i < (COUNT); i++) {                                               \
            held[i].low = held[i].high = vdupq_n_s32(0);                                           \
        }                                                                                          \
        for (int32_t t = 0; t < taps->count; t += 2) {                                             \
            const VECTOR x = LOAD(piece), y = LOAD(piece + sizeof(VECTOR));                        \
            const int8_t *a = taps->at[t] + from, *b = taps->at[t + 1] + from;                     \
            UNROLLED for (int i = 0; i < (COUNT); i++) {                                           \
                held[i] = ADD(held[i], LOAD(a + i * step), x, LOAD(b + i * step), y);              \
            }                                                                                      \
            piece += 2 * sizeof(VECTOR);                                                           \
        }                                                                                          \
        UNROLLED for (int i = 0; i < (COUNT); i++) {                                               \
            sums[i] = held[i];                                                                     \
        }                                                                                          \
    }

static inline void scale_eight(const dpl_requant *q, const four_tables *tables,
                               const eight_sums *sums, int32_t pixels, int32x4_t *low,
                               int32x4_t *high) {
    for (int i = 0; i < PIXELS; i++) {
        low[i] = sums[i < pixels ? i : 0].low;
        high[i] = sums[i < pixels ? i : 0].high;
    }
    scale_sums(q->rule, tables, low, PIXELS);
    scale_sums(q->rule, tables + 1, high, PIXELS);
}

#endif
