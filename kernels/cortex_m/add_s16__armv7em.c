/* Add, int16: both multipliers in one word, two elements of each input in another.
 *
 * smlabb, smlatb, smlabt and smlatt take the halfwords as they are: 12 instructions for two
 * elements, where one at a time takes 12 each. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_s16__armv7em
typedef dpl_add_s16_args args;

static int half(int32_t x) {
    return x == (int16_t)x;
}

/* A ReLU's bounds, or those of the type; multipliers of 16 bits: those that the quantizer makes. */
static int simple(const args *a) {
    return a->high == HIGHEST && (a->low == 0 || a->low == LOWEST) && half(a->multiplier[0]) &&
           half(a->multiplier[1]);
}

#if defined(__ARM_FEATURE_DSP)

#define TWO_SUMS                                                                                   \
    "ldr %[x], [%[left]], #4\n ldr %[y], [%[right]], #4\n"                                         \
    "smlabb %[s], %[x], %[m], %[rounding]\n"                                                       \
    "smlatb %[t], %[x], %[m], %[rounding]\n"                                                       \
    "smlabt %[s], %[y], %[m], %[s]\n"                                                              \
    "smlatt %[t], %[y], %[m], %[t]\n"                                                              \
    "ldr %[x], [%[left]], #4\n ldr %[y], [%[right]], #4\n"                                         \
    "asr %[s], %[s], %[shift]\n asr %[t], %[t], %[shift]\n"                                        \
    "smlabb %[u], %[x], %[m], %[rounding]\n"

/* Outputs by ssat or usat to so many bits. */
#define X4(NAME, INSTRUCTION, BOUND)                                                               \
    static void NAME(const args *a, const element *left, const element *right, element *out,       \
                     int32_t count) {                                                              \
        const uint32_t m = low_halves((uint32_t)a->multiplier[0], (uint32_t)a->multiplier[1]);     \
        const int32_t rounding = a->rounding, shift = a->shift;                                    \
        const element *end = left + 4 * count;                                                     \
        uint32_t x, y, s, t, u, v;                                                                 \
        __asm__ volatile(                                                                          \
            "1:\n" TWO_SUMS "smlatb %[v], %[x], %[m], %[rounding]\n " INSTRUCTION " %[s], #" BOUND \
            ", %[s]\n"                                                                             \
            "smlabt %[u], %[y], %[m], %[u]\n " INSTRUCTION " %[t], #" BOUND ", %[t]\n"             \
            "smlatt %[v], %[y], %[m], %[v]\n pkhbt %[s], %[s], %[t], lsl #16\n"                    \
            "asr %[u], %[u], %[shift]\n str %[s], [%[out]], #4\n"                                  \
            "asr %[v], %[v], %[shift]\n " INSTRUCTION " %[u], #" BOUND ", %[u]\n"                  \
            "cmp %[left], %[end]\n " INSTRUCTION " %[v], #" BOUND ", %[v]\n"                       \
            "pkhbt %[u], %[u], %[v], lsl #16\n"                                                    \
            "str %[u], [%[out]], #4\n"                                                             \
            "bne 1b\n"                                                                             \
            : [left] "+r"(left), [right] "+r"(right), [out] "+r"(out), [x] "=&r"(x), [y] "=&r"(y), \
              [s] "=&r"(s), [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v)                               \
            : [m] "r"(m), [rounding] "r"(rounding), [shift] "r"(shift), [end] "r"(end)             \
            : "cc", "memory");                                                                     \
    }

X4(whole_x4, "ssat", "16")
X4(relu_x4, "usat", "15")

static void run_x4(const args *a, const element *left, const element *right, element *out,
                   int32_t count) {
    if (a->low == 0) {
        relu_x4(a, left, right, out, count);
    } else {
        whole_x4(a, left, right, out, count);
    }
}

#endif

#include "dpl/cortex_m/add.h"
