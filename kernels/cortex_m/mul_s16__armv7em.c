/* Mul, int16: four elements at a time by the high-word rule, which the quantizer takes. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_mul_s16__armv7em
typedef dpl_mul_s16_args args;

#include "dpl/body/mul_run.h"

#if defined(__ARM_FEATURE_DSP)

/* 22 instructions in 15 cycles: limits and packings are the older of their pairs, a limit two
 * cycles behind its product, no product beside a store. NEXT_RIGHT, FIRST and SECOND load the next
 * four. */
#define FOUR(NEXT_RIGHT, FIRST, SECOND)                                                            \
    "smultt %[p], %[x], %[y]\n subs %[fours], %[fours], #1\n"                                      \
    "smultt %[s], %[u], %[v]\n smulbb %[x], %[x], %[y]\n"                                          \
    "smmlar %[p], %[p], %[m], %[r]\n smulbb %[u], %[u], %[v]\n" NEXT_RIGHT                         \
    "smmlar %[s], %[s], %[m], %[r]\n smmlar %[x], %[x], %[m], %[r]\n"                              \
    "ssat %[p], #16, %[p]\n smmlar %[u], %[u], %[m], %[r]\n"                                       \
    "ssat %[s], #16, %[s]\n ssat %[x], #16, %[x]\n ssat %[u], #16, %[u]\n"                         \
    "pkhbt %[p], %[x], %[p], lsl #16\n" FIRST "pkhbt %[s], %[u], %[s], lsl #16\n" SECOND           \
    "str %[p], [%[out]], #8\n str %[s], [%[out], #-4]\n"
#define RIGHT_FOUR "ldr %[y], [%[right]], #8\n ldr %[v], [%[right], #-4]\n"
#define LEFT_FIRST "ldr %[x], [%[left]], #8\n"
#define LEFT_SECOND "ldr %[u], [%[left], #-4]\n"

/* `fours` of products, at least one. */
static void run_fours(const dpl_requant *q, const element *left, const element *right, element *out,
                      int32_t fours) {
    uint32_t x, y, u, v, p, s;
    __asm__ volatile(
        RIGHT_FOUR LEFT_FIRST LEFT_SECOND "subs %[fours], %[fours], #1\n beq 2f\n1:\n" FOUR(
            RIGHT_FOUR, LEFT_FIRST, LEFT_SECOND) "bne 1b\n2:\n" FOUR("", "", "")
        : [left] "+r"(left), [right] "+r"(right), [out] "+r"(out), [fours] "+r"(fours),
          [x] "=&r"(x), [y] "=&r"(y), [u] "=&r"(u), [v] "=&r"(v), [p] "=&r"(p), [s] "=&r"(s)
        : [m] "r"(*q->multiplier), [r] "r"(*q->rounding)
        : "cc", "memory");
}

#else

static void run_fours(const dpl_requant *q, const element *left, const element *right, element *out,
                      int32_t fours) {
    for (int32_t i = 0; i < 4 * fours; i++) {
        out[i] = (element)saturate16(scale_high(left[i] * right[i], *q->multiplier, *q->rounding));
    }
}

#endif

/* All four are read before the first is written: the output may take an input's place. */
static void run_by_x4(const args *a, const element *left, const element *right, element *out,
                      int32_t count) {
    const dpl_requant *q = &a->requant;
    const int whole = q->low == LOWEST && q->high == HIGHEST;
    const int32_t fours = count / 4, done = 4 * fours;
    if (q->rule != DPL_Q32 || !whole || a->left_zero != 0 || a->right_zero != 0) {
        run(a, left, right, out, count);
        return;
    }
    if (fours > 0) {
        run_fours(q, left, right, out, fours);
    }
    if (count > done) {
        run(a, left + done, right + done, out + done, count - done);
    }
}

#define run run_by_x4
#include "dpl/cortex_m/mul.h"
