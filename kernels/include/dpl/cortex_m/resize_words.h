/* What dpl/cortex_m/resize_linear.h has `blend_pixels` for, two channels of int16 at a time.
 * Weights of rows are so large that an output is the upper half of its sum. */
#ifndef DPL_CORTEX_M_RESIZE_WORDS_H
#define DPL_CORTEX_M_RESIZE_WORDS_H

#if defined(__ARM_FEATURE_DSP)

/* `count` words of a pixel in 18 cycles each, for 27 instructions: products, twelve of them, go one
 * a cycle and not beside a store. */
static inline void blend_pixel_words(const int16_t *upper, const int16_t *lower, int16_t *to,
                                     const pairs *p, uint32_t rows) {
    const int32_t second = 2 * p->second - 4, right = 2 * p->right - 4;
    int32_t left = p->count / 2, x0, x1, y, s, t;
    __asm__ volatile("1:\n ldr %[s], [%[upper]], #4\n ldr %[t], [%[lower]], #4\n"
                     "smulbb %[x0], %[s], %[rows]\n subs %[left], %[left], #1\n"
                     "smultb %[x1], %[s], %[rows]\n ldr %[s], [%[upper], %[right]]\n"
                     "smlabt %[x0], %[t], %[rows], %[x0]\n"
                     "smlatt %[x1], %[t], %[rows], %[x1]\n ldr %[t], [%[lower], %[right]]\n"
                     "smulbb %[y], %[s], %[rows]\n"
                     "smultb %[s], %[s], %[rows]\n"
                     "smlabt %[y], %[t], %[rows], %[y]\n"
                     "smlatt %[s], %[t], %[rows], %[s]\n"
                     "mla %[t], %[x0], %[near], %[half]\n"
                     "mla %[t], %[y], %[far], %[t]\n sub %[y], %[y], %[x0]\n"
                     "mla %[x0], %[x1], %[near], %[half]\n"
                     "mla %[x0], %[s], %[far], %[x0]\n sub %[s], %[s], %[x1]\n"
                     "add %[y], %[t], %[y], lsl #1\n ldr %[x1], %[second]\n"
                     "add %[s], %[x0], %[s], lsl #1\n"
                     "pkhtb %[t], %[x0], %[t], asr #16\n str %[t], [%[to]], #4\n"
                     "pkhtb %[s], %[s], %[y], asr #16\n str %[s], [%[to], %[x1]]\n"
                     "bne 1b\n"
                     : [upper] "+r"(upper), [lower] "+r"(lower), [to] "+r"(to), [left] "+r"(left),
                       [x0] "=&r"(x0), [x1] "=&r"(x1), [y] "=&r"(y), [s] "=&r"(s), [t] "=&r"(t)
                     : [right] "r"(right), [near] "r"(p->near), [far] "r"(p->far), [rows] "r"(rows),
                       [half] "r"(1 << 15), [second] "m"(second)
                     : "cc", "memory");
}

static __attribute__((noinline)) void blend_words(const rows *v, const pairs *p, const pixels *all,
                                                  int32_t at, int16_t *out) {
    const int32_t up = 16 - v->shift;
    const uint32_t rows = low_halves((uint32_t)(v->above << up), (uint32_t)(v->below << up));
    for (int32_t n = all->count; n > 0; n--, at += all->in_step, out += all->out_step) {
        blend_pixel_words(v->upper + at, v->lower + at, out, p, rows);
    }
}

#else

#define blend_words blend_pixels

#endif

#endif
