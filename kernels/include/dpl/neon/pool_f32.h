/* Pools of floats. A kernel's file has `args`, KERNEL, FIRST, what a fold begins with, FOLD of two
 * vectors, and END of a fold, by the taps that share it.
 *
 * Four vectors at once, of four pixels or, in a single one, of its channels: a load and a fold for
 * each tap. The last four channels overlap those before. */
#include "dpl/neon/floats.h"

enum { BLOCKS = 4, LANES_OF_VECTOR = 4, LEAST_CHANNELS = LANES_OF_VECTOR };

typedef struct {
    int32_t from, to;
} distances;

static inline float taps_that_share(const args *a, const dpl_taps *taps) {
    const int32_t whole = a->window.kernel_height * a->window.kernel_width;
    return (float)(a->all_taps ? whole : dpl_taps_count(taps));
}

/* `count`, a constant, times the first `channels` of a vector, so far apart. */
INLINED void fold(const args *a, const dpl_taps *taps, const float *input, float *out,
                  distances apart, int count, int32_t channels) {
    const int32_t width = taps->x.end - taps->x.begin;
    const float_bounds bounds = {a->low, a->high};
    const float32x4_t shared = vdupq_n_f32(taps_that_share(a, taps));
    dpl_row_walk rows = taps->rows;
    float32x4_t found[BLOCKS];
    UNROLLED for (int i = 0; i < count; i++) {
        found[i] = vdupq_n_f32(FIRST);
    }
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const float *x = input + rows.offset + taps->column;
        for (int32_t left = width; left > 0; left--, x += taps->pitch) {
            UNROLLED for (int i = 0; i < count; i++) {
                found[i] = FOLD(found[i], load_some(x + i * apart.from, channels));
            }
        }
    }
    UNROLLED for (int i = 0; i < count; i++) {
        store_some(out + i * apart.to, within(END(found[i], shared), &bounds), channels);
    }
}

/* At least a vector. */
static void fold_alike(const args *a, const dpl_taps *taps, const float *input, float *out,
                       int32_t count) {
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const distances apart = {step, a->output.pixel_pitch};
    const int32_t last = count - LANES_OF_VECTOR;
    for (int32_t c = 0; c < last; c += LANES_OF_VECTOR) {
        fold(a, taps, input + c, out + c, apart, BLOCKS, LANES_OF_VECTOR);
    }
    fold(a, taps, input + last, out + last, apart, BLOCKS, LANES_OF_VECTOR);
}

static void fold_pixel(const args *a, const dpl_taps *taps, const float *input, float *out,
                       int32_t count) {
    const distances apart = {LANES_OF_VECTOR, LANES_OF_VECTOR};
    const int32_t last = count - LANES_OF_VECTOR;
    if (last < 0) {
        fold(a, taps, input, out, apart, 1, count);
        return;
    }
    int32_t c = 0;
    for (; c + BLOCKS * LANES_OF_VECTOR <= count; c += BLOCKS * LANES_OF_VECTOR) {
        fold(a, taps, input + c, out + c, apart, BLOCKS, LANES_OF_VECTOR);
    }
    for (; c < last; c += LANES_OF_VECTOR) {
        fold(a, taps, input + c, out + c, apart, 1, LANES_OF_VECTOR);
    }
    if (c < count) {
        fold(a, taps, input + last, out + last, apart, 1, LANES_OF_VECTOR);
    }
}

#include "dpl/neon/pool_rows.h"
