/* Two output channels times three windows of bytes, which nothing has widened.
 *
 * For every four values the weights of a pair of channels (a, b) are two words of bytes a b a b
 * (layout "x2c4"), the first of values 0 and 2, the second of 1 and 3. A word of a window holds all
 * four: sxtb16 gives 0 and 2, with a rotation 1 and 3. So twelve products take five extensions
 * where columns of halfwords take two, and every extension stands as the older instruction beside a
 * load or a product:
 *
 *     cycle  older                   younger
 *     1      a's values              load window 0
 *     2      b's values              load window 1
 *     3      window 0's values       load the next word of weights
 *     4      window 1's values       a * window 0
 *     5      b * window 0            load window 2
 *     6      a * window 1
 *     7      window 2's values       b * window 1
 *     8      a * window 2
 *     9      b * window 2
 *
 * The second half's first cycle stands beside the last product: 17 cycles for 24 products and one
 * for the end of the loop, 0.75 a product. All 14 registers are taken and the loop's limit is in
 * memory. */
#ifndef DPL_CORTEX_M_BYTE_BLOCK_H
#define DPL_CORTEX_M_BYTE_BLOCK_H

#include "dpl/cortex_m/pieces.h"
#include "dpl/cortex_m/simd.h"

/* The sums of the piece of weights at `w` for the windows at `x`, `pitch` bytes apart, of `values`
 * bytes, a multiple of four. Reads one word beyond the weights, none beyond a window. */
static inline sums_2x3 sum_bytes_2x3(const uint32_t *w, const int8_t *x, int32_t pitch,
                                     int32_t values) {
    const int8_t *const end = x + values;
    sums_2x3 s = {(int32_t)w[0], (int32_t)w[0], (int32_t)w[0],
                  (int32_t)w[1], (int32_t)w[1], (int32_t)w[1]};
    w += BIAS_WORDS;
#if defined(__ARM_FEATURE_DSP)
    uint32_t a, b, n, p, q;
    __asm__ volatile("ldr %[n], [%[w]], #4\n"
                     "1:\n"
                     "sxtb16 %[a], %[n]\n ldr %[p], [%[x]]\n"
                     "sxtb16 %[b], %[n], ror #8\n ldr %[q], [%[x], %[pitch]]\n"
                     "sxtb16 %[p], %[p]\n ldr %[n], [%[w]], #4\n"
                     "sxtb16 %[q], %[q]\n smlad %[a0], %[a], %[p], %[a0]\n"
                     "smlad %[b0], %[b], %[p], %[b0]\n ldr %[p], [%[x], %[pitch], lsl #1]\n"
                     "smlad %[a1], %[a], %[q], %[a1]\n"
                     "sxtb16 %[p], %[p]\n smlad %[b1], %[b], %[q], %[b1]\n"
                     "smlad %[a2], %[a], %[p], %[a2]\n ldr %[q], [%[x]]\n"
                     "sxtb16 %[a], %[n]\n smlad %[b2], %[b], %[p], %[b2]\n"
                     "sxtb16 %[b], %[n], ror #8\n ldr %[p], [%[x], %[pitch]]\n"
                     "sxtb16 %[q], %[q], ror #8\n ldr %[n], [%[w]], #4\n"
                     "sxtb16 %[p], %[p], ror #8\n smlad %[a0], %[a], %[q], %[a0]\n"
                     "smlad %[b0], %[b], %[q], %[b0]\n ldr %[q], [%[x], %[pitch], lsl #1]\n"
                     "smlad %[a1], %[a], %[p], %[a1]\n add %[x], %[x], #4\n"
                     "sxtb16 %[q], %[q], ror #8\n smlad %[b1], %[b], %[p], %[b1]\n"
                     "smlad %[a2], %[a], %[q], %[a2]\n ldr %[p], %[end]\n"
                     "smlad %[b2], %[b], %[q], %[b2]\n"
                     "cmp %[x], %[p]\n bne 1b\n"
                     : [a0] "+r"(s.a0), [a1] "+r"(s.a1), [a2] "+r"(s.a2), [b0] "+r"(s.b0),
                       [b1] "+r"(s.b1), [b2] "+r"(s.b2), [w] "+r"(w), [x] "+r"(x), [a] "=&r"(a),
                       [b] "=&r"(b), [n] "=&r"(n), [p] "=&r"(p), [q] "=&r"(q)
                     : [pitch] "r"(pitch), [end] "m"(end)
                     : "cc", "memory");
#else
    for (; x != end; x += 4, w += 2) {
        for (int32_t half = 0; half < 2; half++) {
            const uint32_t a = even_bytes(w[half]), b = odd_bytes(w[half]);
            uint32_t v[COLUMNS];
            for (int32_t i = 0; i < COLUMNS; i++) {
                const uint32_t four = load_word(x + i * pitch);
                v[i] = half ? odd_bytes(four) : even_bytes(four);
            }
            s.a0 = dual_mac(a, v[0], s.a0);
            s.a1 = dual_mac(a, v[1], s.a1);
            s.a2 = dual_mac(a, v[2], s.a2);
            s.b0 = dual_mac(b, v[0], s.b0);
            s.b1 = dual_mac(b, v[1], s.b1);
            s.b2 = dual_mac(b, v[2], s.b2);
        }
    }
#endif
    return s;
}

#endif
