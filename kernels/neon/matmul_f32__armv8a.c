/* MatMul, float: eight pixels of the right, packed as the weights of a convolution are, meet those
 * of the left where they lie. */
#include "dpl/body/f32.h"
#include "dpl/cores.h"
#include "dpl/matmul.h"
#include "dpl/neon/block_f32.h"

#define KERNEL dpl_matmul_f32__armv8a
typedef dpl_matmul_f32_args args;

enum { HALF_PIXELS = PIXELS / 2 };

/* What is left of a row by a piece, which each core has for itself: pixels of the left, those of
 * the right, their outputs. */
typedef struct {
    const float *from, *piece;
    float *to;
    int32_t left, right;
} outputs;

/* Eight pixels, value after value, behind biases of nothing; beyond the last of `count` it is taken
 * again. A load and a store a value. */
static void pack_piece(const float *x, int32_t pitch, int32_t count, int32_t values, float *to) {
    for (int32_t i = 0; i < CHANNELS; i++) {
        const float *from = x + (i < count ? i : count - 1) * pitch;
        to[i] = 0.0f;
        for (int32_t k = 0; k < values; k++) {
            to[(1 + k) * CHANNELS + i] = from[k];
        }
    }
}

INLINED float32x4_t scaled_within(const args *a, float32x4_t sums) {
    const float_bounds bounds = {a->low, a->high};
    return within(vmulq_f32(sums, vdupq_n_f32(a->scale)), &bounds);
}

/* Of `pixels` pixels, a constant, of which fewer may be left. */
INLINED void store_block(const args *a, const outputs *o, int pixels, const float32x4_t *low,
                         const float32x4_t *high) {
    float32x4_t all[2 * PIXELS]; /* in memory: by a number that is no constant */
    UNROLLED for (int i = 0; i < pixels; i++) {
        all[2 * i] = scaled_within(a, low[i]);
        all[2 * i + 1] = scaled_within(a, high[i]);
    }
    for (int32_t i = 0; i < o->left && i < pixels; i++) {
        float *to = o->to + i * a->output.pixel_pitch;
        store_some(to, all[2 * i], o->right);
        store_some(to + 4, all[2 * i + 1], o->right - 4);
    }
}

/* Beyond the last pixel that is left it is taken again. */
INLINED void pixels_of(const args *a, const outputs *o, const int8_t *pixel[PIXELS]) {
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        const float *from = o->from + (i < o->left ? i : o->left - 1) * a->left.pixel_pitch;
        pixel[i] = (const int8_t *)(const void *)from;
    }
}

static void run_whole(const args *a, const packed_weights *w, const outputs *o) {
    const int8_t *pixel[PIXELS];
    float32x4_t low[PIXELS], high[PIXELS];
    pixels_of(a, o, pixel);
    sum_8x8(w, o->piece, pixel, low, high);
    store_block(a, o, PIXELS, low, high);
}

static void run_half(const args *a, const packed_weights *w, const outputs *o) {
    const int8_t *pixel[PIXELS];
    float32x4_t low[HALF_PIXELS], high[HALF_PIXELS];
    pixels_of(a, o, pixel);
    sum_pixels(w, o->piece, pixel, HALF_PIXELS, low, high);
    store_block(a, o, HALF_PIXELS, low, high);
}

static void run_piece(const args *a, const packed_weights *w, outputs o) {
    while (o.left > 0) {
        const int32_t done = o.left > HALF_PIXELS ? PIXELS : HALF_PIXELS;
        (done == PIXELS ? run_whole : run_half)(a, w, &o);
        o.left -= done;
        o.from += done * a->left.pixel_pitch;
        o.to += done * a->output.pixel_pitch;
    }
}

static void products(const args *a, int32_t y, int32_t begin, int32_t end) {
    const int32_t values = a->left.channels, pitch = a->right.pixel_pitch;
    const packed_weights w = unpack_weights(a->scratch, values * ELEMENT_BYTES, CHANNELS);
    float *piece = (float *)a->scratch + dpl_core_id() * w.piece_bytes / ELEMENT_BYTES;
    const float *left = row_of(&a->left, y) + begin * a->left.pixel_pitch;
    const float *right = row_of(&a->right, y);
    float *out = row_of(&a->output, y) + begin * a->output.pixel_pitch;
    for (int32_t v = 0; v < a->right.width; v += CHANNELS) {
        const outputs o = {left, piece, out + v, end - begin, a->right.width - v};
        pack_piece(right + v * pitch, pitch, o.right, values, piece);
        run_piece(a, &w, o);
    }
}

#include "dpl/body/matmul.h"
