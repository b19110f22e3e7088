/* Maximum, int8: two elements at a time by the rules i32 and shift, saturated after the larger is
 * taken. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/affine.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_maximum_s8__armv7em
typedef dpl_mul_s8_args args;

/* The entry of an input; the next one where the two differ. */
static dpl_requant entry(const dpl_requant *q, int32_t step) {
    const dpl_requant one = {
        q->multiplier + step, q->rounding + step, q->shift + step, 0, q->rule, q->low, q->high};
    return one;
}

static inline int32_t larger_of(const affine *f, const affine *g, int32_t x, int32_t y) {
    const int32_t left = affine_value(f, x), right = affine_value(g, y);
    return saturate8(left > right ? left : right);
}

/* `count` > 0 times two in 14 cycles. */
static __attribute__((noinline)) void larger_pairs(const affine *f, const affine *g,
                                                   const element *left, const element *right,
                                                   element *out, int32_t count) {
    const element *end = left + 2 * count;
#if defined(__ARM_FEATURE_DSP)
    int32_t x, y, u, v;
    __asm__ volatile(
        "1: ldrsb %[x], [%[left]], #1\n ldrsb %[u], [%[right]], #1\n"
        "ldrsb %[y], [%[left]], #1\n ldrsb %[v], [%[right]], #1\n"
        "mla %[x], %[x], %[fm], %[fr]\n"
        "mla %[u], %[u], %[gm], %[gr]\n"
        "mla %[y], %[y], %[fm], %[fr]\n asr %[x], %[x], %[fs]\n"
        "mla %[v], %[v], %[gm], %[gr]\n asr %[u], %[u], %[gs]\n"
        "asr %[y], %[y], %[fs]\n cmp %[x], %[u]\n"
        "it lt\n movlt %[x], %[u]\n"
        "asr %[v], %[v], %[gs]\n"
        "ssat %[x], #8, %[x]\n cmp %[y], %[v]\n"
        "it lt\n movlt %[y], %[v]\n"
        "ssat %[y], #8, %[y]\n ldr %[u], %[end]\n"
        "strb %[x], [%[out]], #1\n"
        "cmp %[left], %[u]\n strb %[y], [%[out]], #1\n bne 1b\n"
        : [left] "+r"(left), [right] "+r"(right), [out] "+r"(out), [x] "=&r"(x), [y] "=&r"(y),
          [u] "=&r"(u), [v] "=&r"(v)
        : [fm] "r"(f->multiplier), [fr] "r"(f->rounding), [fs] "r"(f->shift),
          [gm] "r"(g->multiplier), [gr] "r"(g->rounding), [gs] "r"(g->shift), [end] "m"(end)
        : "cc", "memory");
#else
    for (; left < end; left++, right++, out++) {
        *out = (element)larger_of(f, g, *left, *right);
    }
#endif
}

static void run_affine(const affine *f, const affine *g, const element *left, const element *right,
                       element *out, int32_t count) {
    if (count > 1) {
        larger_pairs(f, g, left, right, out, count / 2);
    }
    if (count & 1) {
        const int32_t last = count - 1;
        out[last] = (element)larger_of(f, g, left[last], right[last]);
    }
}

static void run(const args *a, const element *left, const element *right, element *out,
                int32_t count) {
    const dpl_requant first = entry(&a->requant, 0);
    const dpl_requant second = entry(&a->requant, a->requant.channel_step);
    if (is_affine(&first, LOWEST, HIGHEST)) {
        const affine f = affine_of(&first), g = affine_of(&second);
        run_affine(&f, &g, left, right, out, count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t x = dpl_requantize(&first, left[i], 0);
        int32_t y = dpl_requantize(&second, right[i], 0);
        out[i] = (element)(x > y ? x : y);
    }
}

#include "dpl/cortex_m/mul.h"
