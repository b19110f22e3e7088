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

/* The biases of the piece of weights at `w`. */
static inline sums_2x3 biases_2x3(const uint32_t *w) {
    return (sums_2x3){(int32_t)w[0], (int32_t)w[0], (int32_t)w[0],
                      (int32_t)w[1], (int32_t)w[1], (int32_t)w[1]};
}

#if !defined(__ARM_FEATURE_DSP)
static inline sums_2x3 add_words_2x3(sums_2x3 s, uint32_t w, uint32_t x0, uint32_t x1,
                                     uint32_t x2) {
    const uint32_t a = even_bytes(w), b = odd_bytes(w);
    return (sums_2x3){dual_mac(a, x0, s.a0), dual_mac(a, x1, s.a1), dual_mac(a, x2, s.a2),
                      dual_mac(b, x0, s.b0), dual_mac(b, x1, s.b1), dual_mac(b, x2, s.b2)};
}
#endif

/* Runs of three windows, `pitch` bytes apart: the first of window 0 at `at`, each of `values`
 * bytes, a multiple of four, and `jump` from its end to the next one's begin. One that would begin
 * at `limit` or behind lies `wrap` bytes before, since its rows are a ring. */
typedef struct {
    const int8_t *at;
    int32_t pitch, values, jump;
    uintptr_t limit;
    int32_t wrap, count;
} byte_runs;

#if defined(__ARM_FEATURE_DSP)

/* All runs from x on, the first up to `end`; n holds the first word of weights. Leaves the word
 * behind the last in n and w behind that. A run ends in 9 cycles and a mispredicted branch. */
#define SUM_RUNS                                                                                   \
    "1:\n"                                                                                         \
    "sxtb16 %[a], %[n]\n ldr %[p], [%[x]]\n"                                                       \
    "sxtb16 %[b], %[n], ror #8\n ldr %[q], [%[x], %[pitch]]\n"                                     \
    "sxtb16 %[p], %[p]\n ldr %[n], [%[w]], #4\n"                                                   \
    "sxtb16 %[q], %[q]\n smlad %[a0], %[a], %[p], %[a0]\n"                                         \
    "smlad %[b0], %[b], %[p], %[b0]\n ldr %[p], [%[x], %[pitch], lsl #1]\n"                        \
    "smlad %[a1], %[a], %[q], %[a1]\n"                                                             \
    "sxtb16 %[p], %[p]\n smlad %[b1], %[b], %[q], %[b1]\n"                                         \
    "smlad %[a2], %[a], %[p], %[a2]\n ldr %[q], [%[x]]\n"                                          \
    "sxtb16 %[a], %[n]\n smlad %[b2], %[b], %[p], %[b2]\n"                                         \
    "sxtb16 %[b], %[n], ror #8\n ldr %[p], [%[x], %[pitch]]\n"                                     \
    "sxtb16 %[q], %[q], ror #8\n ldr %[n], [%[w]], #4\n"                                           \
    "sxtb16 %[p], %[p], ror #8\n smlad %[a0], %[a], %[q], %[a0]\n"                                 \
    "smlad %[b0], %[b], %[q], %[b0]\n ldr %[q], [%[x], %[pitch], lsl #1]\n"                        \
    "smlad %[a1], %[a], %[p], %[a1]\n add %[x], %[x], #4\n"                                        \
    "sxtb16 %[q], %[q], ror #8\n smlad %[b1], %[b], %[p], %[b1]\n"                                 \
    "smlad %[a2], %[a], %[q], %[a2]\n ldr %[p], %[end]\n"                                          \
    "smlad %[b2], %[b], %[q], %[b2]\n"                                                             \
    "cmp %[x], %[p]\n bne 1b\n"                                                                    \
    "ldr %[p], %[left]\n ldr %[q], %[jump]\n"                                                      \
    "subs %[p], #1\n add %[x], %[q]\n"                                                             \
    "str %[p], %[left]\n beq 2f\n"                                                                 \
    "ldr %[p], %[limit]\n ldr %[q], %[wrap]\n"                                                     \
    "cmp %[x], %[p]\n it hs\n subhs %[x], %[q]\n"                                                  \
    "ldr %[p], %[values]\n add %[p], %[x]\n"                                                       \
    "str %[p], %[end]\n b 1b\n"                                                                    \
    "2:\n"

#endif

/* `s` and the products of the weights at `w` with all runs. Reads one word beyond the weights, none
 * beyond a window. */
static inline sums_2x3 add_runs_2x3(sums_2x3 s, const uint32_t *w, const byte_runs *r) {
    const int8_t *x = r->at;
#if defined(__ARM_FEATURE_DSP)
    const int8_t *end = x + r->values;
    int32_t left = r->count;
    uint32_t a, b, n, p, q;
    __asm__ volatile(
        "ldr %[n], [%[w]], #4\n" SUM_RUNS
        : [a0] "+r"(s.a0), [a1] "+r"(s.a1), [a2] "+r"(s.a2), [b0] "+r"(s.b0), [b1] "+r"(s.b1),
          [b2] "+r"(s.b2), [w] "+r"(w), [x] "+r"(x), [a] "=&r"(a), [b] "=&r"(b), [n] "=&r"(n),
          [p] "=&r"(p), [q] "=&r"(q), [end] "+m"(end), [left] "+m"(left)
        : [pitch] "r"(r->pitch), [jump] "m"(r->jump), [limit] "m"(r->limit), [wrap] "m"(r->wrap),
          [values] "m"(r->values)
        : "cc", "memory");
#else
    for (int32_t i = 0; i < r->count; i++, x += r->values + r->jump) {
        if (i > 0 && (uintptr_t)x >= r->limit) {
            x -= r->wrap;
        }
        for (const int8_t *at = x; at != x + r->values; at += 4) {
            const uint32_t p = load_word(at), q = load_word(at + r->pitch);
            const uint32_t t = load_word(at + 2 * r->pitch);
            s = add_words_2x3(s, *w++, even_bytes(p), even_bytes(q), even_bytes(t));
            s = add_words_2x3(s, *w++, odd_bytes(p), odd_bytes(q), odd_bytes(t));
        }
    }
#endif
    return s;
}

/* The same of `values` bytes of one window: sums a0 and b0. 9 cycles for 8 products. */
static inline sums_2x3 add_bytes_2x1(sums_2x3 s, const uint32_t *w, const int8_t *x,
                                     int32_t values) {
    const int8_t *const end = x + values;
#if defined(__ARM_FEATURE_DSP)
    uint32_t a, b, m, n, v;
    __asm__ volatile("1:\n"
                     "ldr %[v], [%[x]], #4\n ldr %[n], [%[w]], #4\n"
                     "cmp %[x], %[end]\n ldr %[m], [%[w]], #4\n"
                     "sxtb16 %[b], %[v]\n"
                     "sxtb16 %[a], %[n]\n"
                     "sxtb16 %[n], %[n], ror #8\n smlad %[a0], %[a], %[b], %[a0]\n"
                     "sxtb16 %[v], %[v], ror #8\n smlad %[b0], %[n], %[b], %[b0]\n"
                     "sxtb16 %[a], %[m]\n"
                     "sxtb16 %[m], %[m], ror #8\n smlad %[a0], %[a], %[v], %[a0]\n"
                     "smlad %[b0], %[m], %[v], %[b0]\n bne 1b\n"
                     : [a0] "+r"(s.a0), [b0] "+r"(s.b0), [w] "+r"(w), [x] "+r"(x), [a] "=&r"(a),
                       [b] "=&r"(b), [m] "=&r"(m), [n] "=&r"(n), [v] "=&r"(v)
                     : [end] "r"(end)
                     : "cc", "memory");
#else
    for (; x != end; x += 4, w += 2) {
        const uint32_t even = even_bytes(load_word(x)), odd = odd_bytes(load_word(x));
        s = add_words_2x3(s, w[0], even, 0, 0);
        s = add_words_2x3(s, w[1], odd, 0, 0);
    }
#endif
    return s;
}

/* The same of one window whose values are all `both`, as two halfwords. */
static inline sums_2x3 add_constant(sums_2x3 s, const uint32_t *w, uint32_t both, int32_t values) {
    for (const uint32_t *const end = w + values / 2; w != end; w++) {
        s.a0 = dual_mac(even_bytes(*w), both, s.a0);
        s.b0 = dual_mac(odd_bytes(*w), both, s.b0);
    }
    return s;
}

#endif
