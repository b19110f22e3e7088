/* Sums of products of int8: four pixels by four output channels, sixteen values of each at a time.
 *
 * A product of 8 bits fits 16; two of them do, too, unless all four factors are -128, which the
 * packing excludes (pieces). So two products are added in 16 bits before SADALP adds neighbours to
 * sums of 32: three instructions for sixteen products. Four pixels by four channels take eight
 * loads for 48 of them and leave registers for products under way. */
#ifndef DPL_NEON_BLOCK_S8_H
#define DPL_NEON_BLOCK_S8_H

#include "dpl/neon/blocking.h"
#include "dpl/neon/simd.h"

#define PIXELS DPL_BLOCK_PIXELS
#define CHANNELS DPL_BLOCK_CHANNELS
#define STEP DPL_STEP_VALUES

/* Of a piece of weights with its tables, int32 for each of four kinds. */
static inline int32_t piece_bytes(int32_t steps) {
    return CHANNELS * (steps * STEP + DPL_TABLE_BYTES);
}

/* Sums of a pixel, a channel in each lane. */
static inline int32x4_t sums_of(const int32x4_t *lanes) {
    return vpaddq_s32(vpaddq_s32(lanes[0], lanes[1]), vpaddq_s32(lanes[2], lanes[3]));
}

static inline int32x4_t add_products(int32x4_t sum, int8x16_t a, int8x16_t b) {
    int16x8_t both = vmull_s8(vget_low_s8(a), vget_low_s8(b));
    both = vmlal_s8(both, vget_high_s8(a), vget_high_s8(b));
    return vpadalq_s16(sum, both);
}

/* Of weights among which -128 may meet -128. */
static inline int32x4_t add_wide_products(int32x4_t sum, int8x16_t a, int8x16_t b) {
    sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
    return vpadalq_s16(sum, vmull_s8(vget_high_s8(a), vget_high_s8(b)));
}

/* Loops over lanes are unrolled: their sums stay in registers. */
#define UNROLLED _Pragma("GCC unroll 16")

#define SUM_4X4(NAME, ADD)                                                                         \
    static inline void NAME(const int8_t *const *pixel, const int8_t *weights, int32_t steps,      \
                            int32x4_t *sums) {                                                     \
        const int8_t *p0 = pixel[0], *p1 = pixel[1], *p2 = pixel[2], *p3 = pixel[3];               \
        int32x4_t lanes[PIXELS][CHANNELS];                                                         \
        UNROLLED for (int i = 0; i < PIXELS * CHANNELS; i++) {                                     \
            lanes[i / CHANNELS][i % CHANNELS] = vdupq_n_s32(0);                                    \
        }                                                                                          \
        for (; steps > 0; steps--) {                                                               \
            const int8x16_t a[PIXELS] = {vld1q_s8(p0), vld1q_s8(p1), vld1q_s8(p2), vld1q_s8(p3)};  \
            UNROLLED for (int c = 0; c < CHANNELS; c++) {                                          \
                const int8x16_t b = vld1q_s8(weights + c * STEP);                                  \
                UNROLLED for (int i = 0; i < PIXELS; i++) {                                        \
                    lanes[i][c] = ADD(lanes[i][c], a[i], b);                                       \
                }                                                                                  \
            }                                                                                      \
            p0 += STEP, p1 += STEP, p2 += STEP, p3 += STEP, weights += CHANNELS * STEP;            \
        }                                                                                          \
        UNROLLED for (int i = 0; i < PIXELS; i++) {                                                \
            sums[i] = sums_of(lanes[i]);                                                           \
        }                                                                                          \
    }

SUM_4X4(sum_4x4, add_products)
SUM_4X4(sum_4x4_wide, add_wide_products)

/* A pixel by eight channels, whose pieces are `piece` bytes apart. */
#define SUM_1X8(NAME, ADD)                                                                         \
    static inline void NAME(const int8_t *pixel, const int8_t *weights, int32_t piece,             \
                            int32_t steps, int32x4_t *sums) {                                      \
        int32x4_t lanes[2 * CHANNELS];                                                             \
        UNROLLED for (int c = 0; c < 2 * CHANNELS; c++) {                                          \
            lanes[c] = vdupq_n_s32(0);                                                             \
        }                                                                                          \
        for (; steps > 0; steps--, pixel += STEP, weights += CHANNELS * STEP) {                    \
            const int8x16_t a = vld1q_s8(pixel);                                                   \
            UNROLLED for (int c = 0; c < 2 * CHANNELS; c++) {                                      \
                const int8_t *at = weights + c / CHANNELS * piece + c % CHANNELS * STEP;           \
                lanes[c] = ADD(lanes[c], a, vld1q_s8(at));                                         \
            }                                                                                      \
        }                                                                                          \
        sums[0] = sums_of(lanes);                                                                  \
        sums[1] = sums_of(lanes + CHANNELS);                                                       \
    }

SUM_1X8(sum_1x8, add_products)
SUM_1X8(sum_1x8_wide, add_wide_products)

#endif
