/* MatMul, int8: four pixels of the left with four of the right, as bytes where they lie. Zero
 * points are taken off the sums by those of each pixel alone. */
#include "dpl/matmul.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/outputs.h"
#include "dpl/pulp/products.h"

#define KERNEL dpl_matmul_s8__xpulpv2
typedef dpl_matmul_s8_args args;

enum { PIXELS = DPL_SIDE_PIXELS, STRIP = 32 }; /* pixels of the left whose sums are kept */

typedef struct {
    dpl_outputs by;
    int32_t depth, left_zero, right_zero;
    int32_t left_pitch, right_pitch, pitch;
} product;

static void set_up(const args *a, product *p) {
    dpl_outputs_by(&a->requant, &p->by);
    p->depth = a->left.channels;
    p->left_zero = a->left_zero;
    p->right_zero = a->right_zero;
    p->left_pitch = a->left.pixel_pitch;
    p->right_pitch = a->right.pixel_pitch;
    p->pitch = a->output.pixel_pitch;
}

/* Beyond the last of `count` pixels it is taken again. */
static dpl_side side_of(const int8_t *first, int32_t pitch, int32_t count) {
    dpl_side s = {first, {0, 0, 0}};
    for (int32_t i = 1; i < PIXELS; i++) {
        s.others[i - 1] = (i < count ? i : count - 1) * pitch;
    }
    return s;
}

/* What zero points add to the sums of a pixel: the other side's times all of its values. */
static void corrections(const int8_t *x, int32_t pitch, int32_t count, int32_t depth, int32_t zero,
                        int32_t *to) {
    for (int32_t i = 0; i < count; i++, x += pitch) {
        to[i] = zero == 0 ? 0 : -zero * dpl_sum_bytes(x, depth);
    }
}

/* Sums to outputs: `left` pixels of `right` channels. */
static inline __attribute__((always_inline)) void
store_by(dpl_rule rule, const product *given, const int32_t *sums, const int32_t *lefts,
         const int32_t *rights, int32_t left, int32_t right, int8_t *out) {
    const product p = *given; /* a store could change it */
    for (int32_t i = 0; i < left; i++, out += p.pitch) {
        int8_t bytes[PIXELS];
        _Pragma("GCC unroll 4") for (int32_t r = 0; r < PIXELS; r++) {
            const int32_t sum = sums[PIXELS * r + i] + lefts[i] + rights[r];
            bytes[r] = (int8_t)dpl_output_of(rule, &p.by, sum);
        }
        dpl_copy_bytes(out, bytes, right);
    }
}

static void store(const product *p, const int32_t *sums, const int32_t *lefts,
                  const int32_t *rights, int32_t left, int32_t right, int8_t *out) {
    switch (p->by.requant.rule) {
    case DPL_I32: store_by(DPL_I32, p, sums, lefts, rights, left, right, out); break;
    case DPL_Q32: store_by(DPL_Q32, p, sums, lefts, rights, left, right, out); break;
    default: store_by(DPL_Q31, p, sums, lefts, rights, left, right, out); break;
    }
}

/* All pixels of a strip of the left by up to four of the right. */
static void run_block(const product *p, const int8_t *left, const int32_t *lefts, int32_t count,
                      const int8_t *right, int32_t rights, int8_t *out) {
    const int32_t rest = p->depth & 3;
    int32_t sums[PIXELS * PIXELS], by_right[PIXELS] = {0, 0, 0, 0};
    dpl_pixel_products by;
    by.words = p->depth >> 2;
    by.mask = (1u << 8 * rest) - 1;
    by.right = side_of(right, p->right_pitch, rights);
    corrections(right, p->right_pitch, rights, p->depth, p->left_zero, by_right);
    for (int32_t i = 0; i < count; i += PIXELS) {
        const int32_t here = count - i < PIXELS ? count - i : PIXELS;
        by.left = side_of(left + i * p->left_pitch, p->left_pitch, here);
        dpl_four_by_pixels(&by, sums);
        store(p, sums, lefts + i, by_right, here, rights, out + i * p->pitch);
    }
}

static void run_strip(const args *a, const product *p, const int8_t *left, int32_t count,
                      const int8_t *right, int8_t *out) {
    const int32_t width = a->right.width, both = p->depth * p->left_zero * p->right_zero;
    int32_t lefts[STRIP];
    corrections(left, p->left_pitch, count, p->depth, p->right_zero, lefts);
    for (int32_t i = 0; i < count; i++) {
        lefts[i] += both;
    }
    for (int32_t v = 0; v < width; v += PIXELS) {
        const int32_t rights = width - v < PIXELS ? width - v : PIXELS;
        run_block(p, left, lefts, count, right + v * p->right_pitch, rights, out + v);
    }
}

static void products(const args *a, int32_t y, int32_t begin, int32_t end) {
    const int8_t *left = dpl_row_s8(&a->left, y), *right = dpl_row_s8(&a->right, y);
    int8_t *out = dpl_row_s8(&a->output, y);
    product p;
    set_up(a, &p);
    for (int32_t x = begin; x < end; x += STRIP) {
        const int32_t count = end - x < STRIP ? end - x : STRIP;
        run_strip(a, &p, left + x * p.left_pitch, count, right, out + x * p.pitch);
    }
}

#include "dpl/body/matmul.h"
