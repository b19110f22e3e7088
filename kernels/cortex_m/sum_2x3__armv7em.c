/* Sums of two output channels times three columns, for every rule: kernels of both types share it.
 */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/block.h"

#if defined(__ARM_FEATURE_DSP)

sums_2x3 dpl_sum_2x3__armv7em(const uint32_t *w, const uint32_t *columns, int32_t words) {
    const uint32_t *const end = columns + words, *at = columns;
    uint32_t p, q = loop_offset(words, SHORT_LOOP_FOURS), r, x0, x1, x2, entry;
    int32_t a0, a1, a2, b0, b1, b2;
    __asm__ volatile(FIND_ENTRY("") SUM_PAIR(SHORT_LOOP_FOURS)
                     : SUM_REGISTERS, [w] "+r"(w), [q] "+r"(q)
                     : [end] "m"(end)
                     : "cc", "memory");
    return (sums_2x3){a0, a1, a2, b0, b1, b2};
}

#else

sums_2x3 dpl_sum_2x3__armv7em(const uint32_t *w, const uint32_t *columns, int32_t words) {
    const int32_t bias_a = (int32_t)w[0], bias_b = (int32_t)w[1];
    sums_2x3 s = {bias_a, bias_a, bias_a, bias_b, bias_b, bias_b};
    w += BIAS_WORDS;
    for (const uint32_t *end = columns + words; columns != end; columns += COLUMNS, w++) {
        uint32_t a = even_bytes(*w), b = odd_bytes(*w);
        s.a0 = dual_mac(a, columns[0], s.a0);
        s.a1 = dual_mac(a, columns[1], s.a1);
        s.a2 = dual_mac(a, columns[2], s.a2);
        s.b0 = dual_mac(b, columns[0], s.b0);
        s.b1 = dual_mac(b, columns[1], s.b1);
        s.b2 = dual_mac(b, columns[2], s.b2);
    }
    return s;
}

#endif
