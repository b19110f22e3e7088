/* PRelu, int8: by the high-word rule four channels at a time, 39 instructions and 21 cycles
 * (pipeline model of the Cortex-M7). The four are read before the first is written: the output may
 * take the input's place. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/four.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_prelu_s8__armv7em
typedef dpl_prelu_s8_args args;

#include "dpl/body/prelu_pixel.h"

#if defined(__ARM_FEATURE_DSP)

/* x holds the distance from the zero point; then its output. */
#define RECTIFY(X)                                                                                 \
    "ldr %[m], [%[slope]], #4\n cmp %[" X "], #0\n"                                                \
    "it ge\n movge %[m], %[rise]\n"                                                                \
    "smmlar %[" X "], %[" X "], %[m], %[zero]\n"

/* `count` > 0 times four channels, from entry 0 of `multiplier` up and from `slope` down. */
static __attribute__((noinline)) void fours(const args *a, const int32_t *slope,
                                            const int8_t *input, int8_t *out, int32_t count) {
    const int32_t rise = *a->requant.multiplier, zero = *a->requant.rounding;
    const int32_t off = -a->input_zero;
    const int8_t *end = input + 4 * count;
    int32_t x0, x1, x2, x3, m;
    __asm__ volatile(
        "1: ldr %[x3], [%[input]], #4\n"
        "sxtab %[x0], %[off], %[x3]\n"
        "sxtab %[x1], %[off], %[x3], ror #8\n" RECTIFY("x0") "sxtab %[x2], %[off], %[x3], ror "
                                                             "#16\n" RECTIFY("x1") "add %[x3], "
                                                                                   "%[off], %[x3], "
                                                                                   "asr "
                                                                                   "#24\n" RECTIFY("x2") "ssat %[x0], #8, %[x0]\n" RECTIFY(
                                                                                       "x3") "strb "
                                                                                             "%[x0]"
                                                                                             ", "
                                                                                             "[%["
                                                                                             "out]]"
                                                                                             ", "
                                                                                             "#4\n "
                                                                                             "ssat "
                                                                                             "%[x1]"
                                                                                             ", "
                                                                                             "#8, "
                                                                                             "%[x1]"
                                                                                             "\n"
                                                                                             "strb "
                                                                                             "%[x1]"
                                                                                             ", "
                                                                                             "[%["
                                                                                             "out],"
                                                                                             " #-3]"
                                                                                             "\n "
                                                                                             "ssat "
                                                                                             "%[x2]"
                                                                                             ", "
                                                                                             "#8, "
                                                                                             "%[x2]"
                                                                                             "\n"
                                                                                             "strb "
                                                                                             "%[x2]"
                                                                                             ", "
                                                                                             "[%["
                                                                                             "out],"
                                                                                             " #-2]"
                                                                                             "\n "
                                                                                             "ssat "
                                                                                             "%[x3]"
                                                                                             ", "
                                                                                             "#8, "
                                                                                             "%[x3]"
                                                                                             "\n"
                                                                                             "cmp "
                                                                                             "%["
                                                                                             "input"
                                                                                             "], "
                                                                                             "%["
                                                                                             "end]"
                                                                                             "\n "
                                                                                             "strb "
                                                                                             "%[x3]"
                                                                                             ", "
                                                                                             "[%["
                                                                                             "out],"
                                                                                             " #-1]"
                                                                                             "\n "
                                                                                             "bne "
                                                                                             "1b\n"
        : [input] "+r"(input), [out] "+r"(out), [slope] "+r"(slope), [x0] "=&r"(x0), [x1] "=&r"(x1),
          [x2] "=&r"(x2), [x3] "=&r"(x3), [m] "=&r"(m)
        : [off] "r"(off), [rise] "r"(rise), [zero] "r"(zero), [end] "r"(end)
        : "cc", "memory");
}

#else

static void fours(const args *a, const int32_t *slope, const int8_t *input, int8_t *out,
                  int32_t count) {
    const int32_t rise = *a->requant.multiplier, zero = *a->requant.rounding;
    for (int32_t i = 0; i < 4 * count; i++) {
        const int32_t x = input[i] - a->input_zero;
        out[i] = (int8_t)saturate8(scale_high(x, x < 0 ? slope[i] : rise, zero));
    }
}

#endif

static void pixel_by_fours(const args *a, dpl_share channels, const int8_t *input, int8_t *out) {
    const int32_t first = channels.begin;
    const int32_t count = by_high_word(&a->requant) ? (channels.end - first) / 4 : 0;
    if (count > 0) {
        fours(a, a->requant.multiplier + 1 + a->first + first, input + first, out + first, count);
        channels.begin += 4 * count;
    }
    if (channels.begin < channels.end) {
        pixel(a, channels, input, out);
    }
}

#define pixel pixel_by_fours
#include "dpl/body/prelu.h"
