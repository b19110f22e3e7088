/* The passes of normalizations, int8. */
#include "dpl/body/norm.h"
#include "dpl/cortex_m/simd.h"

/* Adds count numbers, of which the squares of 65,536 fit 32 bits: four a turn, whose dual products
 * wait for none of the same turn but the sum before. */
static inline void add_moments(moments *m, const int8_t *x, int32_t count) {
    const uint32_t ones = 0x10001u;
    int32_t squares = 0, total = m->total, i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint32_t word = load_word(x + i), even = even_bytes(word), odd = odd_bytes(word);
        squares = dual_mac(even, even, squares);
        total = dual_mac(even, ones, total);
        squares = dual_mac(odd, odd, squares);
        total = dual_mac(odd, ones, total);
    }
    for (; i < count; i++) {
        total += x[i];
        squares += x[i] * x[i];
    }
    m->total = total;
    m->squares += (uint32_t)squares;
}

/* (d * multiplier + half) >> shift is the high word of a product: below a shift of 32 that of d
 * times 2^(32 - shift), which fits, as d is at most a few times the root it is divided by; from 33
 * on of d, shifted on, and the low word changes nothing. */
typedef struct {
    int32_t count, total, multiplier, half, shift;
} scaled_normalizer;

static inline scaled_normalizer scaled(const normalizer *n) {
    const int32_t beyond = n->over.shift - 32;
    scaled_normalizer s = {n->count, n->total, n->over.multiplier, 0, 0};
    if (beyond > 0) {
        s.half = 1 << (beyond - 1);
        s.shift = beyond;
    } else if (s.multiplier > 0) {
        s.count = (int32_t)((uint32_t)s.count << -beyond);
        s.total = (int32_t)((uint32_t)s.total << -beyond);
    }
    return s;
}

static inline int32_t high_word(int32_t x, int32_t y) {
    return (int32_t)(((int64_t)x * y) >> 32);
}

/* Channels first to first + count of a pixel. Modulo 2^32 the difference is right wherever it
 * begins. */
static inline void normalize_by(const dpl_norm_s8_args *a, const scaled_normalizer *n, int beyond,
                                int high, int32_t first, int32_t count, const int8_t *x,
                                int8_t *out) {
    const int16_t *scale = a->scale;
    const int32_t *offset = a->offset;
    const dpl_requant *q = &a->requant;
    const int32_t m = *q->multiplier, zero = *q->rounding, low = q->low, most = q->high;
    const uint32_t each = (uint32_t)n->count, total = (uint32_t)n->total;
    for (int32_t c = first; c < first + count; c++) {
        const int32_t d = (int32_t)(each * (uint32_t)x[c] - total);
        const int32_t wide = beyond ? (high_word(d, n->multiplier) + n->half) >> n->shift
                                    : scale_high(d, n->multiplier, 0);
        const int32_t sum = saturate16(wide) * scale[c] + offset[c];
        out[c] = (int8_t)(high ? dpl_clamp(scale_high(sum, m, zero), low, most)
                               : dpl_requantize(q, sum, 0));
    }
}

static inline void normalize(const dpl_norm_s8_args *a, const normalizer *n, int32_t first,
                             int32_t count, const int8_t *x, int8_t *out) {
    const scaled_normalizer s = scaled(n);
    if (a->requant.rule != DPL_Q32) {
        normalize_by(a, &s, s.shift > 0, 0, first, count, x, out);
    } else if (s.shift > 0) {
        normalize_by(a, &s, 1, 1, first, count, x, out);
    } else {
        normalize_by(a, &s, 0, 1, first, count, x, out);
    }
}
