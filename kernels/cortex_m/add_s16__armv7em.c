/* Add, int16: both multipliers in one word, two elements of each input in another.
 *
 * smlabb, smlatb, smlabt and smlatt take the halfwords as they are: 12 instructions for two
 * elements, where one at a time takes 12 each. */
#include "dpl/cores.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/elementwise.h"

static int16_t one(const dpl_add_s16_args *a, int32_t left, int32_t right) {
    const int32_t sum = left * a->multiplier[0] + right * a->multiplier[1] + a->rounding;
    return (int16_t)dpl_clamp(sum >> a->shift, a->low, a->high);
}

static int half(int32_t x) {
    return x == (int16_t)x;
}

/* A ReLU's bounds, or those of the type; multipliers of 16 bits: those that the quantizer makes. */
static int simple(const dpl_add_s16_args *a) {
    return a->high == INT16_MAX && (a->low == 0 || a->low == INT16_MIN) && half(a->multiplier[0]) &&
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

/* LIMIT is an instruction and its bound. */
#define FOURS(NAME, INSTRUCTION, BOUND)                                                            \
    static void NAME(const dpl_add_s16_args *a, const int16_t *left, const int16_t *right,         \
                     int16_t *out, int32_t count) {                                                \
        const uint32_t m = low_halves((uint32_t)a->multiplier[0], (uint32_t)a->multiplier[1]);     \
        const int32_t rounding = a->rounding, shift = a->shift;                                    \
        const int16_t *end = left + 4 * count;                                                     \
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

FOURS(whole_fours, "ssat", "16")
FOURS(relu_fours, "usat", "15")

#else

static void whole_fours(const dpl_add_s16_args *a, const int16_t *left, const int16_t *right,
                        int16_t *out, int32_t count) {
    for (int32_t i = 0; i < 4 * count; i++) {
        out[i] = one(a, left[i], right[i]);
    }
}

#define relu_fours whole_fours

#endif

static void run(const dpl_add_s16_args *a, const int16_t *left, const int16_t *right, int16_t *out,
                int32_t count) {
    int32_t i = 0;
    if (simple(a) && count >= 4) {
        i = count / 4 * 4;
        if (a->low == 0) {
            relu_fours(a, left, right, out, count / 4);
        } else {
            whole_fours(a, left, right, out, count / 4);
        }
    }
    for (; i < count; i++) {
        out[i] = one(a, left[i], right[i]);
    }
}

/* A row without gaps is one run, otherwise each pixel is. */
static int dense(const dpl_add_s16_args *a) {
    const int32_t count = a->output.channels;
    return a->left.pixel_pitch == count && a->right.pixel_pitch == count &&
           a->output.pixel_pitch == count;
}

void dpl_add_s16__armv7em(const dpl_add_s16_args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    const int32_t whole = dense(a), width = a->output.width, channels = a->output.channels;
    for (int32_t y = rows.begin; y < rows.end; y++) {
        const int16_t *left = dpl_row_s16(&a->left, y), *right = dpl_row_s16(&a->right, y);
        int16_t *out = dpl_row_s16(&a->output, y);
        for (int32_t x = 0; x < (whole ? 1 : width); x++) {
            run(a, left, right, out, whole ? width * channels : channels);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
