/* Add, int16: four elements in 19 cycles, each loaded by itself, so that multipliers have any size
 * and rows begin anywhere. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_add_s16__armv7em
typedef dpl_add_s16_args args;

/* A ReLU's bounds, or those of the type. */
static int simple(const args *a) {
    return a->high == HIGHEST && (a->low == 0 || a->low == LOWEST);
}

#if defined(__ARM_FEATURE_DSP)

/* Outputs by ssat or usat to so many bits. Halfwords of neighbouring words pair, those of
 * one word share its bank; no product is beside a store. */
#define X4(NAME, INSTRUCTION, BOUND)                                                               \
    static void NAME(const args *a, const element *left, const element *right, element *out,       \
                     int32_t count) {                                                              \
        const element *end = left + 4 * count;                                                     \
        int32_t x, y, s, t, u, v;                                                                  \
        __asm__ volatile(                                                                          \
            "1: ldrsh %[x], [%[left]], #8\n ldrsh %[y], [%[left], #-4]\n"                          \
            "ldrsh %[u], [%[right]], #8\n ldrsh %[v], [%[right], #-4]\n"                           \
            "ldrsh %[s], [%[left], #-6]\n ldrsh %[t], [%[left], #-2]\n"                            \
            "mla %[x], %[x], %[m], %[rounding]\n"                                                  \
            "mla %[y], %[y], %[m], %[rounding]\n"                                                  \
            "mla %[x], %[u], %[n], %[x]\n ldrsh %[u], [%[right], #-6]\n"                           \
            "mla %[y], %[v], %[n], %[y]\n ldrsh %[v], [%[right], #-2]\n"                           \
            "mla %[s], %[s], %[m], %[rounding]\n asr %[x], %[x], %[shift]\n"                       \
            "mla %[t], %[t], %[m], %[rounding]\n asr %[y], %[y], %[shift]\n" INSTRUCTION           \
            " %[x], #" BOUND ", %[x]\n mla %[s], %[u], %[n], %[s]\n" INSTRUCTION " %[y], #" BOUND  \
            ", %[y]\n mla %[t], %[v], %[n], %[t]\n"                                                \
            "cmp %[left], %[end]\n strh %[x], [%[out]], #8\n"                                      \
            "asr %[s], %[s], %[shift]\n strh %[y], [%[out], #-4]\n"                                \
            "asr %[t], %[t], %[shift]\n" INSTRUCTION " %[s], #" BOUND ", %[s]\n" INSTRUCTION       \
            " %[t], #" BOUND ", %[t]\n strh %[s], [%[out], #-6]\n"                                 \
            "strh %[t], [%[out], #-2]\n bne 1b\n"                                                  \
            : [left] "+r"(left), [right] "+r"(right), [out] "+r"(out), [x] "=&r"(x), [y] "=&r"(y), \
              [s] "=&r"(s), [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v)                               \
            : [m] "r"(a->multiplier[0]), [n] "r"(a->multiplier[1]), [rounding] "r"(a->rounding),   \
              [shift] "r"(a->shift), [end] "r"(end)                                                \
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
