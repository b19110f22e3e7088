/* MatMul, int8: both sides less their zero points as int16, so that nothing is left to correct.
 * Eight pixels of the right are packed as the weights of an int16 convolution are, and meet a strip
 * of the left, whose pixels were widened once. */
#include "dpl/body/s8.h"
#include "dpl/cores.h"
#include "dpl/matmul.h"
#include "dpl/neon/block_s16.h"
#include "dpl/neon/copies.h"
#include "dpl/neon/eight.h"
#include "dpl/neon/eight_bytes.h"

#define KERNEL dpl_matmul_s8__armv8a
typedef dpl_matmul_s8_args args;

enum { HALF_PIXELS = PIXELS / 2, HALF_CHANNELS = CHANNELS / 2 };
enum { SINGLES = 2 }; /* of so many pixels one at a time takes less than a half */

/* What a core has of scratch: a piece of the right with its tables, then a strip of the left. */
typedef struct {
    packed_weights right;
    int8_t *piece, *strip;
    int32_t strip_pixels, pixel_bytes;
    int high; /* takes_high_words */
} product;

/* What is left of a strip by a piece: pixels of the left, those of the right, their outputs. */
typedef struct {
    const int8_t *from;
    int8_t *to;
    int32_t left, right;
} outputs;

/* Up to eight channels; others are the zero point, so that nothing remains of them. */
static inline int8x8_t some_channels(const int8_t *x, int32_t count, int8x8_t zero) {
    int8_t all[STEP];
    if (count >= STEP) {
        return vld1_s8(x);
    }
    vst1_s8(all, zero);
    copy_short(all, x, count);
    return vld1_s8(all);
}

/* A pixel as int16, eight channels a turn: a load, a difference, a store. */
static void widen_pixel(const int8_t *x, int32_t depth, int8x8_t zero, int16_t *to) {
    int32_t c = 0;
    for (; c + STEP <= depth; c += STEP) {
        vst1q_s16(to + c, vsubl_s8(vld1_s8(x + c), zero));
    }
    if (c < depth) {
        vst1q_s16(to + c, vsubl_s8(some_channels(x + c, depth - c, zero), zero));
    }
}

/* Eight channels of eight pixels, channel after channel. */
INLINED void pack_step(eight_bytes *v, int8x8_t zero, int16_t *to) {
    transpose_bytes(v);
    UNROLLED for (int k = 0; k < STEP; k++) {
        vst1q_s16(to + k * CHANNELS, vsubl_s8(v->at[k], zero));
    }
}

/* Eight pixels of the right; beyond the last of `count` it is taken again. */
static void pack_piece(const int8_t *x, int32_t pitch, int32_t count, int32_t depth, int8x8_t zero,
                       int16_t *to) {
    const int8_t *pixel[CHANNELS];
    eight_bytes v;
    int32_t c = 0;
    for (int32_t i = 0; i < CHANNELS; i++) {
        pixel[i] = x + (i < count ? i : count - 1) * pitch;
    }
    for (; c + STEP <= depth; c += STEP, to += STEP * CHANNELS) {
        UNROLLED for (int i = 0; i < CHANNELS; i++) {
            v.at[i] = vld1_s8(pixel[i] + c);
        }
        pack_step(&v, zero, to);
    }
    if (c < depth) {
        UNROLLED for (int i = 0; i < CHANNELS; i++) {
            v.at[i] = some_channels(pixel[i] + c, depth - c, zero);
        }
        pack_step(&v, zero, to);
    }
}

/* Sums of `pixels` pixels, a constant, of which fewer may be left. */
INLINED void store_block(const args *a, const product *p, const outputs *o, int pixels,
                         int32x4_t *low, int32x4_t *last) {
    const four_tables *tables = tables_of(&p->right, p->piece);
    const limits within = limits_of(a->requant.low, a->requant.high);
    const int32_t pitch = a->output.pixel_pitch;
    scale_biased(a->requant.rule, tables, p->high, low, pixels);
    scale_biased(a->requant.rule, tables, p->high, last, pixels);
    if (o->left >= pixels && o->right >= CHANNELS) {
        UNROLLED for (int i = 0; i < pixels; i++) {
            store_eight(o->to + i * pitch, narrowed(low[i], last[i], &within));
        }
        return;
    }
    for (int32_t i = 0; i < o->left && i < pixels; i++) {
        int8_t all[CHANNELS];
        store_eight(all, narrowed(low[i], last[i], &within));
        copy_short(o->to + i * pitch, all, o->right < CHANNELS ? o->right : CHANNELS);
    }
}

/* Beyond the last pixel that is left it is taken again. */
static inline void pixels_of(const product *p, const outputs *o, const int8_t *pixel[PIXELS]) {
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        pixel[i] = o->from + (i < o->left ? i : o->left - 1) * p->pixel_bytes;
    }
}

static void run_whole(const args *a, const product *p, const outputs *o) {
    const int8_t *pixel[PIXELS];
    int32x4_t low[PIXELS], last[PIXELS];
    pixels_of(p, o, pixel);
    sum_8x8(&p->right, p->piece, pixel, low, last);
    store_block(a, p, o, PIXELS, low, last);
}

static void run_half(const args *a, const product *p, const outputs *o) {
    const int8_t *pixel[PIXELS];
    int32x4_t low[HALF_PIXELS], last[HALF_PIXELS];
    pixels_of(p, o, pixel);
    sum_4x8(&p->right, p->piece, pixel, low, last);
    store_block(a, p, o, HALF_PIXELS, low, last);
}

static void run_single(const args *a, const product *p, const outputs *o) {
    int32x4_t low, last;
    sum_1x8(&p->right, p->piece, o->from, &low, &last);
    store_block(a, p, o, 1, &low, &last);
}

/* Of a piece of half as many pixels, in half the time. */
static void run_narrow(const args *a, const product *p, const outputs *o) {
    const int8_t *pixel[PIXELS];
    int32x4_t low[PIXELS], last[PIXELS];
    pixels_of(p, o, pixel);
    sum_8x4(&p->right, p->piece, pixel, low);
    UNROLLED for (int i = 0; i < PIXELS; i++) {
        last[i] = low[i];
    }
    store_block(a, p, o, PIXELS, low, last);
}

static int32_t run_some(const args *a, const product *p, const outputs *o) {
    if (o->left <= SINGLES) {
        run_single(a, p, o);
        return 1;
    }
    if (o->right <= HALF_CHANNELS) {
        run_narrow(a, p, o);
        return PIXELS;
    }
    if (o->left <= HALF_PIXELS) {
        run_half(a, p, o);
        return HALF_PIXELS;
    }
    run_whole(a, p, o);
    return PIXELS;
}

static void run_piece(const args *a, const product *p, outputs o) {
    while (o.left > 0) {
        const int32_t done = run_some(a, p, &o);
        o.left -= done;
        o.from += done * p->pixel_bytes;
        o.to += done * a->output.pixel_pitch;
    }
}

/* One entry for all sums, which begin with nothing. */
static void fill_tables(const args *a, const product *p) {
    four_tables *tables = (four_tables *)(void *)(p->piece + p->right.steps * STEP * CHANNELS * 2);
    const factors by = factors_of(&a->requant, 0);
    for (int i = 0; i < 2; i++) {
        vst1q_s32(tables[i].bias, vdupq_n_s32(0));
        vst1q_s32(tables[i].multiplier, by.multiplier);
        vst1q_s32(tables[i].rounding, by.rounding);
        vst1q_s32(tables[i].shift, by.shift);
    }
}

static product product_of(const args *a) {
    const int32_t bytes = a->left.channels * ELEMENT_BYTES, width = a->left.width;
    product p = {.right = unpack_weights(a->scratch, bytes, CHANNELS), .high = 0};
    p.strip_pixels = width < DPL_MATMUL_STRIP_PIXELS ? width : DPL_MATMUL_STRIP_PIXELS;
    p.pixel_bytes = p.right.steps * STEP_BYTES;
    const int32_t core_bytes = p.right.piece_bytes + p.strip_pixels * p.pixel_bytes;
    p.piece = (int8_t *)a->scratch + dpl_core_id() * core_bytes;
    p.strip = p.piece + p.right.piece_bytes;
    fill_tables(a, &p);
    p.high = takes_high_words(a->requant.rule, tables_of(&p.right, p.piece));
    return p;
}

/* `count` pixels of the left by all of the right. */
static void run_strip(const args *a, const product *p, const int8_t *left, const int8_t *right,
                      int32_t count, int8_t *to) {
    const int32_t depth = a->left.channels, pitch = a->right.pixel_pitch;
    const int8x8_t left_zero = vdup_n_s8((int8_t)a->left_zero);
    const int8x8_t right_zero = vdup_n_s8((int8_t)a->right_zero);
    for (int32_t i = 0; i < count; i++) {
        widen_pixel(left + i * a->left.pixel_pitch, depth, left_zero,
                    (int16_t *)(void *)(p->strip + i * p->pixel_bytes));
    }
    for (int32_t v = 0; v < a->right.width; v += CHANNELS) {
        const outputs o = {p->strip, to + v, count, a->right.width - v};
        pack_piece(right + v * pitch, pitch, o.right, depth, right_zero,
                   (int16_t *)(void *)p->piece);
        run_piece(a, p, o);
    }
}

static void products(const args *a, int32_t y, int32_t begin, int32_t end) {
    const product p = product_of(a);
    const int8_t *left = dpl_row_s8(&a->left, y), *right = dpl_row_s8(&a->right, y);
    int8_t *out = dpl_row_s8(&a->output, y);
    for (int32_t x = begin; x < end; x += p.strip_pixels) {
        const int32_t rest = end - x, count = rest < p.strip_pixels ? rest : p.strip_pixels;
        run_strip(a, &p, left + x * a->left.pixel_pitch, right, count,
                  out + x * a->output.pixel_pitch);
    }
}

#include "dpl/body/matmul.h"
