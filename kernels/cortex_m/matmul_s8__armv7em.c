/* MatMul, int8: four pixels of one side less its zero point as int16, packed side by side, meet the
 * pixels of the other where they lie. Those are of the right, unless the left has fewer. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/cortex_m/sum_halves.h"
#include "dpl/matmul.h"

#define KERNEL dpl_matmul_s8__armv7em
typedef dpl_matmul_s8_args args;

enum { PIXELS = DPL_MATMUL_PIXELS, WORDS = 2 * PIXELS }; /* of four channels of all of them */

/* A side of a row of products. */
typedef struct {
    const int8_t *data;
    int32_t width, pitch, zero;
    int32_t step; /* outputs from one pixel of it to the next */
} side;

/* Up to four channels as two words of halves: even ones, odd ones. */
static inline uint32_t some_channels(const int8_t *x, int32_t count) {
    uint32_t word = 0;
    for (int32_t i = count - 1; i >= 0; i--) {
        word = word << 8 | (uint8_t)x[i];
    }
    return word;
}

/* Channels beyond the last are zeros, whatever meets them. Returns the sum of what is packed. */
static int32_t pack_pixel(const int8_t *x, int32_t depth, int32_t zero, uint32_t *to) {
    const uint32_t zeros = (uint32_t)(uint16_t)zero * 0x10001u, ones = 0x10001u;
    int32_t sum = 0, left = depth;
    for (; left >= 4; left -= 4, x += 4, to += WORDS) {
        const uint32_t word = load_word(x);
        to[0] = sub_halves(even_bytes(word), zeros);
        to[1] = sub_halves(odd_bytes(word), zeros);
        sum = dual_mac(to[0], ones, dual_mac(to[1], ones, sum));
    }
    if (left > 0) {
        const uint32_t word = some_channels(x, left);
        to[0] = left > 2 ? sub_halves(even_bytes(word), zeros) : (uint16_t)(x[0] - zero);
        to[1] = left > 1 ? (uint16_t)(x[1] - zero) : 0;
        sum = dual_mac(to[0], ones, dual_mac(to[1], ones, sum));
    }
    return sum;
}

/* Adds the products of four channels: a load, two words of halves, eight loads in pairs and eight
 * dual products, of which the loads go beside the others: 10 cycles for 16 products. */
static inline const uint32_t *four_channels(uint32_t word, const uint32_t *p, int32_t *sums) {
    const uint32_t even = even_bytes(word), odd = odd_bytes(word);
    sums[0] = dual_mac(p[0], even, dual_mac(p[1], odd, sums[0]));
    sums[1] = dual_mac(p[2], even, dual_mac(p[3], odd, sums[1]));
    sums[2] = dual_mac(p[4], even, dual_mac(p[5], odd, sums[2]));
    sums[3] = dual_mac(p[6], even, dual_mac(p[7], odd, sums[3]));
    return p + WORDS;
}

static inline void sum_pixel(const int8_t *x, const uint32_t *p, int32_t depth,
                             const int32_t start[PIXELS], int32_t sums[PIXELS]) {
    int32_t all[PIXELS] = {start[0], start[1], start[2], start[3]};
    int32_t left = depth;
    for (; left >= 4; left -= 4, x += 4) {
        p = four_channels(load_word(x), p, all);
    }
    if (left > 0) {
        four_channels(some_channels(x, left), p, all);
    }
    sums[0] = all[0];
    sums[1] = all[1];
    sums[2] = all[2];
    sums[3] = all[3];
}

static inline void store(const dpl_requant *q, const int32_t sums[PIXELS], int32_t count,
                         int32_t step, int8_t *out) {
    if (q->rule == DPL_Q32) {
        const int32_t m = *q->multiplier, zero = *q->rounding, low = q->low, high = q->high;
        for (int32_t i = 0; i < count; i++) {
            out[i * step] = (int8_t)dpl_clamp(scale_high(sums[i], m, zero), low, high);
        }
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        out[i * step] = (int8_t)dpl_requantize(q, sums[i], 0);
    }
}

/* Products of count pixels of one side with all of the other, whose zero point makes a start.
 * Beyond the last pixel it is packed again. */
static void block(const args *a, const side *packed, const side *other, int32_t first,
                  int32_t count, int8_t *out) {
    const int32_t depth = a->left.channels;
    uint32_t *const words = a->scratch;
    int32_t start[PIXELS];
    for (int32_t i = 0; i < PIXELS; i++) {
        const int8_t *x = packed->data + (first + (i < count ? i : count - 1)) * packed->pitch;
        start[i] = -other->zero * pack_pixel(x, depth, packed->zero, words + 2 * i);
    }
    const int8_t *x = other->data;
    for (int32_t i = 0; i < other->width; i++, x += other->pitch, out += other->step) {
        int32_t sums[PIXELS];
        sum_pixel(x, words, depth, start, sums);
        store(&a->requant, sums, count, packed->step, out);
    }
}

static void products(const args *a, int32_t y, int32_t begin, int32_t end) {
    const int32_t left_pitch = a->left.pixel_pitch, pitch = a->output.pixel_pitch;
    const side left = {dpl_row_s8(&a->left, y) + begin * left_pitch, end - begin, left_pitch,
                       a->left_zero, pitch};
    const side right = {dpl_row_s8(&a->right, y), a->right.width, a->right.pixel_pitch,
                        a->right_zero, 1};
    const int few = left.width <= PIXELS && left.width < right.width;
    const side *const packed = few ? &left : &right, *const other = few ? &right : &left;
    int8_t *out = dpl_row_s8(&a->output, y) + begin * pitch;
    for (int32_t i = 0; i < packed->width; i += PIXELS, out += PIXELS * packed->step) {
        const int32_t rest = packed->width - i;
        block(a, packed, other, i, rest < PIXELS ? rest : PIXELS, out);
    }
}

#include "dpl/body/matmul.h"
