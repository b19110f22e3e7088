/* Sums of windows of one step of int8, four pixels by four channels, with a channel in each lane.
 *
 * So few products leave more to the additions across lanes that block_s8.h ends with than to
 * themselves. Here weights are widened to 16 bits once a strip and stay in registers; a value of a
 * pixel multiplies those of four channels: 4 products a cycle, and nothing is added up in the end.
 * Windows of at most NARROW values take half of that, and may lie where behind them nothing may be
 * read. */
#ifndef DPL_NEON_BLOCK_NARROW_S8_H
#define DPL_NEON_BLOCK_NARROW_S8_H

#include "dpl/neon/block_s8.h"

#define NARROW (STEP / 2)
#define WHOLE_WINDOW(BYTES) ((BYTES) % STEP_BYTES == 0 || (BYTES) == NARROW)

/* Of four channels: values 0 and 4 in a vector, 1 and 5, 2 and 6, 3 and 7. */
typedef struct {
    int16x8_t v0, v1, v2, v3;
} narrow_weights;

/* Eight values of a piece's channels. */
static inline narrow_weights widen_weights(const int8_t *from) {
    const int8x8x2_t a = vtrn_s8(vld1_s8(from), vld1_s8(from + STEP));
    const int8x8x2_t b = vtrn_s8(vld1_s8(from + 2 * STEP), vld1_s8(from + 3 * STEP));
    const int16x4x2_t even = vtrn_s16(vreinterpret_s16_s8(a.val[0]), vreinterpret_s16_s8(b.val[0]));
    const int16x4x2_t odd = vtrn_s16(vreinterpret_s16_s8(a.val[1]), vreinterpret_s16_s8(b.val[1]));
    const narrow_weights w = {
        vmovl_s8(vreinterpret_s8_s16(even.val[0])), vmovl_s8(vreinterpret_s8_s16(odd.val[0])),
        vmovl_s8(vreinterpret_s8_s16(even.val[1])), vmovl_s8(vreinterpret_s8_s16(odd.val[1]))};
    return w;
}

/* The products of lane LANE and that of the upper half. */
#ifdef __aarch64__
#define ADD_UPPER(SUM, W, X, LANE) vmlal_high_laneq_s16(SUM, W, X, 4 + (LANE))
#else
#define ADD_UPPER(SUM, W, X, LANE) vmlal_lane_s16(SUM, vget_high_s16(W), vget_high_s16(X), LANE)
#endif
#define ADD_BOTH(SUM, W, X, LANE)                                                                  \
    ADD_UPPER(vmlal_lane_s16(SUM, vget_low_s16(W), vget_low_s16(X), LANE), W, X, LANE)
#define FIRST_OF(W, X) ADD_UPPER(vmull_lane_s16(vget_low_s16(W), vget_low_s16(X), 0), W, X, 0)

/* Eight values, `at` bytes on in each pixel, to the sums, or as their first. Pixels go by turns, so
 * that none waits for itself. */
INLINED void add_narrow(narrow_weights w, const int8_t *const *pixel, int32_t at, int32x4_t *sums) {
    int16x8_t x[PIXELS];
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        x[i] = vmovl_s8(vld1_s8(pixel[i] + at));
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        sums[i] = at == 0 ? FIRST_OF(w.v0, x[i]) : ADD_BOTH(sums[i], w.v0, x[i], 0);
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        sums[i] = ADD_BOTH(sums[i], w.v1, x[i], 1);
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        sums[i] = ADD_BOTH(sums[i], w.v2, x[i], 2);
    }
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        sums[i] = ADD_BOTH(sums[i], w.v3, x[i], 3);
    }
}

#endif
