/* Add, int8: both multipliers in one word, four elements at a time.
 *
 * smlabb, smlatb, smlabt and smlatt take halfwords of the widened inputs and of the multipliers, so
 * nothing is packed: 26 instructions for four elements, 14 cycles (pipeline model of the Cortex-M7)
 * where one element at a time takes 45. */
#include "dpl/cores.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

static int8_t one(const dpl_add_s8_args *a, int32_t left, int32_t right) {
    const int32_t sum = left * a->multiplier[0] + right * a->multiplier[1] + a->rounding;
    return (int8_t)dpl_clamp(sum >> a->shift, a->low, a->high);
}

/* Bounds of int8 and multipliers of 16 bits: those that the quantizer makes. */
static int simple(const dpl_add_s8_args *a) {
    const int32_t m0 = a->multiplier[0], m1 = a->multiplier[1];
    return a->low == -128 && a->high == 127 && m0 == (int16_t)m0 && m1 == (int16_t)m1;
}

#if defined(__ARM_FEATURE_DSP)

static void fours(const dpl_add_s8_args *a, const int8_t *left, const int8_t *right, int8_t *out,
                  int32_t count) {
    const uint32_t m = low_halves((uint32_t)a->multiplier[0], (uint32_t)a->multiplier[1]);
    const int32_t rounding = a->rounding, shift = a->shift;
    const int8_t *end = left + 4 * count;
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

#else

static void fours(const dpl_add_s8_args *a, const int8_t *left, const int8_t *right, int8_t *out,
                  int32_t count) {
    for (int32_t i = 0; i < 4 * count; i++) {
        out[i] = one(a, left[i], right[i]);
    }
}

#endif

static void run(const dpl_add_s8_args *a, const int8_t *left, const int8_t *right, int8_t *out,
                int32_t count) {
    int32_t i = 0;
    if (simple(a) && count >= 4) {
        i = count / 4 * 4;
        fours(a, left, right, out, count / 4);
    }
    for (; i < count; i++) {
        out[i] = one(a, left[i], right[i]);
    }
}

/* A row without gaps is one run, otherwise each pixel is. */
static int dense(const dpl_add_s8_args *a) {
    const int32_t count = a->output.channels;
    return a->left.pixel_pitch == count && a->right.pixel_pitch == count &&
           a->output.pixel_pitch == count;
}

void dpl_add_s8__armv7em(const dpl_add_s8_args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const int32_t whole = dense(a), width = a->output.width, channels = a->output.channels;
    for (int32_t y = rows.begin; y < rows.end; y++) {
        const int8_t *left = dpl_row_s8(&a->left, y), *right = dpl_row_s8(&a->right, y);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < (whole ? 1 : width); x++) {
            run(a, left, right, out, whole ? width * channels : channels);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
