/* Runs of floats: RUN_OF computes each vector by VALUE from `left`, `right` and `k`, the kernel's
 * constants; an operator of one input has both in one place. All of a run, whatever is left over,
 * goes through vectors, so that no cut of a run changes a float. Sixteen are read before anything
 * of them is written: the output may take an input's place. */
#ifndef DPL_NEON_RUNS_F32_H
#define DPL_NEON_RUNS_F32_H

#include "dpl/neon/floats.h"

enum { RUN_VECTORS = 4, RUN_LANES = 4 };

/* Two loads, a computation and a store for each vector. */
#define RUN_OF(NAME, CONSTANTS, VALUE)                                                             \
    static inline void NAME(const CONSTANTS *k, const float *left, const float *right, float *out, \
                            int32_t count) {                                                       \
        int32_t i = 0;                                                                             \
        for (; i + RUN_VECTORS * RUN_LANES <= count; i += RUN_VECTORS * RUN_LANES) {               \
            float32x4_t values[RUN_VECTORS];                                                       \
            UNROLLED for (int j = 0; j < RUN_VECTORS; j++) {                                       \
                const int32_t at = i + RUN_LANES * j;                                              \
                values[j] = VALUE(k, vld1q_f32(left + at), vld1q_f32(right + at));                 \
            }                                                                                      \
            UNROLLED for (int j = 0; j < RUN_VECTORS; j++) {                                       \
                vst1q_f32(out + i + RUN_LANES * j, values[j]);                                     \
            }                                                                                      \
        }                                                                                          \
        for (; i < count; i += RUN_LANES) {                                                        \
            const int32_t rest = count - i;                                                        \
            store_some(out + i, VALUE(k, load_some(left + i, rest), load_some(right + i, rest)),   \
                       rest);                                                                      \
        }                                                                                          \
    }

#endif
