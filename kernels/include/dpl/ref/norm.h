/* The passes of normalizations, int8, portable. */
#include "dpl/body/norm.h"

/* Adds count numbers; the squares of 65,536 fit 32 bits. */
static inline void add_moments(moments *m, const int8_t *x, int32_t count) {
    uint32_t squares = 0;
    int32_t total = m->total;
    for (int32_t i = 0; i < count; i++) {
        const int32_t value = x[i];
        total += value;
        squares += (uint32_t)(value * value);
    }
    m->total = total;
    m->squares += squares;
}

/* Channels first to first + count of a pixel. */
static inline void normalize(const dpl_norm_s8_args *a, const normalizer *n, int32_t first,
                             int32_t count, const int8_t *x, int8_t *out) {
    const int32_t multiplier = n->over.multiplier, shift = n->over.shift;
    const int64_t half = (int64_t)1 << (shift - 1);
    for (int32_t c = first; c < first + count; c++) {
        const int32_t centred = n->count * x[c] - n->total;
        const int64_t wide = ((int64_t)centred * multiplier + half) >> shift;
        const int32_t normal = wide < INT16_MIN   ? INT16_MIN
                               : wide > INT16_MAX ? INT16_MAX
                                                  : (int32_t)wide;
        out[c] = (int8_t)dpl_requantize(&a->requant, normal * a->scale[c] + a->offset[c], 0);
    }
}
