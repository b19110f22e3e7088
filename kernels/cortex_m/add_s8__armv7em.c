/* Add, int8: both multipliers in one word, four elements at a time.
 *
 * smlabb, smlatb, smlabt and smlatt take halfwords of the widened inputs and of the multipliers, so
 * nothing is packed: 26 instructions for four elements, 14 cycles (pipeline model of the Cortex-M7)
 * where one element at a time takes 45. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_s8__armv7em
typedef dpl_add_s8_args args;

/* Bounds of int8 and multipliers of 16 bits: those that the quantizer makes. */
static int simple(const args *a) {
    const int32_t m0 = a->multiplier[0], m1 = a->multiplier[1];
    return a->low == LOWEST && a->high == HIGHEST && m0 == (int16_t)m0 && m1 == (int16_t)m1;
}

#if defined(__ARM_FEATURE_DSP)

static void run_x4(const args *a, const element *left, const element *right, element *out,
                   int32_t count) {
    const uint32_t m = low_halves((uint32_t)a->multiplier[0], (uint32_t)a->multiplier[1]);
    const int32_t rounding = a->rounding, shift = a->shift;
    const element *end = left + 4 * count;
    while (left != end) {
        uint32_t x, y, p, q;
        int32_t s, t;
        __asm__ volatile("ldr %[x], [%[left]], #4\n ldr %[y], [%[right]], #4\n"
                         "sxtb16 %[p], %[x]\n"
                         "sxtb16 %[q], %[y]\n"
                         "smlabb %[s], %[p], %[m], %[rounding]\n sxtb16 %[x], %[x], ror #8\n"
                         "smlatb %[t], %[p], %[m], %[rounding]\n sxtb16 %[y], %[y], ror #8\n"
                         "smlabt %[s], %[q], %[m], %[s]\n"
                         "smlatt %[t], %[q], %[m], %[t]\n"
                         "smlabb %[p], %[x], %[m], %[rounding]\n asr %[s], %[s], %[shift]\n"
                         "smlatb %[q], %[x], %[m], %[rounding]\n asr %[t], %[t], %[shift]\n"
                         "smlabt %[p], %[y], %[m], %[p]\n ssat %[s], #8, %[s]\n"
                         "smlatt %[q], %[y], %[m], %[q]\n ssat %[t], #8, %[t]\n"
                         "asr %[p], %[p], %[shift]\n strb %[s], [%[out]], #4\n"
                         "asr %[q], %[q], %[shift]\n strb %[t], [%[out], #-2]\n"
                         "ssat %[p], #8, %[p]\n"
                         "ssat %[q], #8, %[q]\n strb %[p], [%[out], #-3]\n"
                         "strb %[q], [%[out], #-1]\n"
                         : [left] "+r"(left), [right] "+r"(right), [out] "+r"(out), [x] "=&r"(x),
                           [y] "=&r"(y), [p] "=&r"(p), [q] "=&r"(q), [s] "=&r"(s), [t] "=&r"(t)
                         : [m] "r"(m), [rounding] "r"(rounding), [shift] "r"(shift)
                         : "memory");
    }
}

#endif

#include "dpl/cortex_m/add.h"
