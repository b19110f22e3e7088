/* Softmax over many channels, int8: three passes, the last with two elements in each of two stages.
 * The division by the sum becomes a product with its reciprocal: the high word of n * (2^32 / sum)
 * is the quotient or one less, which the remainder tells. */
#include "dpl/cores.h"
#include "dpl/cortex_m/largest.h"
#include "dpl/softmax.h"

#if defined(__ARM_FEATURE_DSP)

/* `fours` > 0 times four: 10 cycles. */
static __attribute__((noinline)) uint32_t sum_fours(const int32_t *best, const int8_t *row,
                                                    int32_t fours) {
    const int8_t *const end = row + 4 * fours;
    uint32_t sum = 0, other = 0;
    int32_t a, b, c, d;
    __asm__ volatile("1:\n"
                     "ldrsb %[a], [%[row]], #4\n ldrsb %[b], [%[row], #-3]\n"
                     "ldrsb %[c], [%[row], #-2]\n ldrsb %[d], [%[row], #-1]\n"
                     "sub %[a], %[best], %[a], lsl #2\n cmp %[row], %[end]\n"
                     "sub %[b], %[best], %[b], lsl #2\n ldr %[a], [%[a]]\n"
                     "sub %[c], %[best], %[c], lsl #2\n ldr %[b], [%[b]]\n"
                     "sub %[d], %[best], %[d], lsl #2\n ldr %[c], [%[c]]\n"
                     "add %[sum], %[sum], %[a]\n ldr %[d], [%[d]]\n"
                     "add %[other], %[other], %[b]\n add %[sum], %[sum], %[c]\n"
                     "add %[other], %[other], %[d]\n bne 1b\n"
                     : [row] "+r"(row), [sum] "+r"(sum), [other] "+r"(other), [a] "=&r"(a),
                       [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
                     : [best] "r"(best), [end] "r"(end)
                     : "cc", "memory");
    return sum + other;
}

#else

static uint32_t sum_fours(const int32_t *best, const int8_t *row, int32_t fours) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < 4 * fours; i++) {
        sum += (uint32_t)best[-row[i]];
    }
    return sum;
}

#endif

/* At most 65,536 terms of 2^15: fits unsigned 32 bits. */
static uint32_t sum_powers(const int32_t *best, const int8_t *row, int32_t count) {
    uint32_t sum = sum_fours(best, row, count / 4);
    for (int32_t i = count & -4; i < count; i++) {
        sum += (uint32_t)best[-row[i]];
    }
    return sum;
}

/* What the outputs of a pixel share. `best`: the entry of the byte 0; that of another lies as many
 * before it as the byte is. */
typedef struct {
    const int32_t *best;
    int32_t zero;
    uint32_t levels, half, sum, reciprocal;
} shares;

static inline int32_t share_of(const shares *s, int32_t x) {
    const uint32_t scaled = (uint32_t)s->best[-x] * s->levels + s->half;
    const uint32_t near = (uint32_t)((uint64_t)scaled * s->reciprocal >> 32);
    const uint32_t left = scaled - near * s->sum;
    return saturate8(s->zero + (int32_t)near + (left >= s->sum));
}

#if defined(__ARM_FEATURE_DSP)

/* The quotients of two, as far as the product tells; then while those of the next two are scaled,
 * the remainders and the outputs. The carry of a comparison is the quotient's correction. */
#define NEAR "umull %[x], %[p], %[a], %[r]\n umull %[y], %[q], %[b], %[r]\n"
#define LEFT "mls %[a], %[p], %[sum], %[a]\n mls %[b], %[q], %[sum], %[b]\n"
#define ENTRIES                                                                                    \
    "sub %[x], %[best], %[x], lsl #2\n sub %[y], %[best], %[y], lsl #2\n"                          \
    "ldr %[x], [%[x]]\n ldr %[y], [%[y]]\n"
#define LOAD_TWO "ldrsb %[x], [%[row]], #2\n ldrsb %[y], [%[row], #-1]\n"
#define SCALE "mla %[a], %[x], %[levels], %[half]\n mla %[b], %[y], %[levels], %[half]\n"
#define CORRECT                                                                                    \
    "cmp %[a], %[sum]\n adc %[p], %[p], %[zero]\n"                                                 \
    "cmp %[b], %[sum]\n adc %[q], %[q], %[zero]\n"                                                 \
    "ssat %[p], #8, %[p]\n ssat %[q], #8, %[q]\n"
#define STORE_TWO "strb %[p], [%[out]], #2\n strb %[q], [%[out], #-1]\n"
#define UNLESS_LAST "ldr %[p], %[end]\n cmp %[row], %[p]\n"

/* `pairs` > 0 times two: 16 cycles. */
static __attribute__((noinline)) void share_pairs(const shares *s, const int8_t *row, int8_t *out,
                                                  int32_t pairs) {
    const int8_t *const end = row + 2 * pairs;
    int32_t a, b, x, y, p, q;
    __asm__ volatile(
        LOAD_TWO ENTRIES SCALE UNLESS_LAST
        "beq 2f\n"
        "1:\n" NEAR LOAD_TWO LEFT ENTRIES CORRECT SCALE STORE_TWO UNLESS_LAST "bne 1b\n"
        "2:\n" NEAR LEFT CORRECT STORE_TWO
        : [row] "+r"(row), [out] "+r"(out), [a] "=&r"(a), [b] "=&r"(b), [x] "=&r"(x), [y] "=&r"(y),
          [p] "=&r"(p), [q] "=&r"(q)
        : [best] "r"(s->best), [levels] "r"(s->levels), [half] "r"(s->half), [sum] "r"(s->sum),
          [r] "r"(s->reciprocal), [zero] "r"(s->zero), [end] "m"(end)
        : "cc", "memory");
}

#else

static void share_pairs(const shares *s, const int8_t *row, int8_t *out, int32_t pairs) {
    for (int32_t i = 0; i < 2 * pairs; i++) {
        out[i] = (int8_t)share_of(s, row[i]);
    }
}

#endif

static void write_shares(const shares *s, dpl_share channels, const int8_t *row, int8_t *out) {
    const int32_t pairs = (channels.end - channels.begin) / 2;
    if (pairs > 0) {
        share_pairs(s, row + channels.begin, out + channels.begin, pairs);
    }
    for (int32_t c = channels.begin + 2 * pairs; c < channels.end; c++) {
        out[c] = (int8_t)share_of(s, row[c]);
    }
}

void dpl_softmax_s8__armv7em_long(const dpl_softmax_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t count = a->input.channels;
    shares s = {.zero = a->output_zero, .levels = (uint32_t)a->levels};
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *row = dpl_row_s8(&a->input, y);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            s.best = a->table + largest_of_words(row, count);
            s.sum = sum_powers(s.best, row, count);
            s.half = s.sum / 2;
            s.reciprocal = UINT32_MAX / s.sum;
            write_shares(&s, part.channels, row, out);
            row += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
