/* From the sums of a record to outputs. */
#ifndef DPL_CORTEX_M_WINOGRAD_OUTPUT_H
#define DPL_CORTEX_M_WINOGRAD_OUTPUT_H

#include "dpl/cortex_m/four.h"
#include "dpl/cortex_m/winograd.h"

/* Where a tile's outputs lie: bytes from its first pixel to the one on its right and the one below,
 * 0 where there is none. The first is written last, and a record's first tile: where a record has
 * fewer tiles, the last one stands in for the others. */
typedef struct {
    int8_t *at;
    int32_t right, down;
} tile_out;

typedef struct {
    uint32_t top, bottom;
} column_sums;

static inline column_sums transform_column(const uint32_t *column) {
    const uint32_t b = column[SIDE * LANES], c = column[2 * SIDE * LANES];
    const column_sums sums = {column[0] + b + c, b - c - column[3 * SIDE * LANES]};
    return sums;
}

/* Row after row. */
typedef struct {
    int32_t a, b, c, d;
} tile_sums;

static inline int32_t quarter(uint32_t sum, int32_t bias) {
    return (int32_t)((uint32_t)bias + (uint32_t)((int32_t)sum >> 2));
}

/* The accumulators of a lane. */
static inline tile_sums transform_sums(const uint32_t *sums, int32_t bias) {
    const column_sums p = transform_column(sums), q = transform_column(sums + LANES);
    uint32_t a = p.top + q.top, b = q.top, c = p.bottom + q.bottom, d = q.bottom;
    const column_sums r = transform_column(sums + 2 * LANES);
    a += r.top, b -= r.top, c += r.bottom, d -= r.bottom;
    const column_sums s = transform_column(sums + 3 * LANES);
    b -= s.top, d -= s.bottom;
    const tile_sums tile = {quarter(a, bias), quarter(b, bias), quarter(c, bias), quarter(d, bias)};
    return tile;
}

#if defined(__ARM_FEATURE_DSP)

/* The upper rows' part of a column in P, the lower ones' in Q; the first sum is at word AT of the
 * record's. */
#define COLUMN(P, Q, AT)                                                                           \
    "ldr %[" P "], [%[sums], #4*(" AT ")]\n"                                                       \
    "ldr %[" Q "], [%[sums], #4*(" AT "+12)]\n"                                                    \
    "ldr %[r], [%[sums], #4*(" AT "+24)]\n"                                                        \
    "ldr %[s], [%[sums], #4*(" AT "+36)]\n"                                                        \
    "add %[" P "], %[" P "], %[" Q "]\n sub %[" Q "], %[" Q "], %[r]\n"                            \
    "add %[" P "], %[" P "], %[r]\n sub %[" Q "], %[" Q "], %[s]\n"

#define TO_LEFT(P, Q) "add %[a], %[a], %[" P "]\n add %[c], %[c], %[" Q "]\n"
#define TO_RIGHT "sub %[b], %[b], %[p]\n sub %[d], %[d], %[q]\n"
#define FINISH_CHANNEL(N)                                                                          \
    "ldr %[r], [%[head], #4*" N "]\n ldr %[s], %[zero]\n"                                          \
    "sub %[d], %[d], %[q]\n sub %[b], %[b], %[p]\n"                                                \
    "ldr %[p], [%[head], #8+4*" N "]\n add %[d], %[r], %[d], asr #2\n"                             \
    "add %[c], %[r], %[c], asr #2\n"                                                               \
    "smmlar %[d], %[d], %[p], %[s]\n add %[b], %[r], %[b], asr #2\n"                               \
    "smmlar %[c], %[c], %[p], %[s]\n add %[a], %[r], %[a], asr #2\n"                               \
    "smmlar %[b], %[b], %[p], %[s]\n ssat %[d], #8, %[d]\n"                                        \
    "smmlar %[a], %[a], %[p], %[s]\n ssat %[c], #8, %[c]\n"                                        \
    "strb %[d], [%[at3], #" N "]\n ssat %[b], #8, %[b]\n"                                          \
    "strb %[c], [%[at2], #" N "]\n ssat %[a], #8, %[a]\n"                                          \
    "strb %[b], [%[at1], #" N "]\n"                                                                \
    "strb %[a], [%[at0], #" N "]\n"

/* Channel N (0, 1), whose sums begin at word AT: 30 cycles, two instructions in nearly each. */
#define PUT_CHANNEL(N, AT)                                                                         \
    COLUMN("a", "c", AT)                                                                           \
    COLUMN("b", "d", AT "+3")                                                                      \
    TO_LEFT("b", "d")                                                                              \
    COLUMN("p", "q", AT "+6")                                                                      \
    TO_LEFT("p", "q")                                                                              \
    TO_RIGHT                                                                                       \
    COLUMN("p", "q", AT "+9")                                                                      \
    FINISH_CHANNEL(N)

/* Two channels of a lane by the high-word rule. */
static inline void put_high(const uint32_t *sums, const uint32_t *head, int32_t zero,
                            const tile_out *out, int32_t channel) {
    int8_t *const first = out->at + channel, *const below = first + out->down;
    uint32_t a, b, c, d, p, q, r, s;
    __asm__ volatile(
        PUT_CHANNEL("0", "0") PUT_CHANNEL("1", "48")
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [p] "=&r"(p), [q] "=&r"(q),
          [r] "=&r"(r), [s] "=&r"(s)
        : [sums] "r"(sums), [head] "r"(head), [zero] "m"(zero), [at0] "r"(first),
          [at1] "r"(first + out->right), [at2] "r"(below), [at3] "r"(below + out->right)
        : "memory");
}

#else

static inline int8_t high_byte(int32_t acc, uint32_t multiplier, int32_t zero) {
    return (int8_t)saturate8(scale_high(acc, (int32_t)multiplier, zero));
}

static inline void put_high(const uint32_t *sums, const uint32_t *head, int32_t zero,
                            const tile_out *out, int32_t channel) {
    for (int32_t i = 0; i < 2; i++, sums += PAIR_WORDS, channel++) {
        const tile_sums t = transform_sums(sums, (int32_t)head[i]);
        int8_t *const first = out->at + channel, *const below = first + out->down;
        below[out->right] = high_byte(t.d, head[2 + i], zero);
        *below = high_byte(t.c, head[2 + i], zero);
        first[out->right] = high_byte(t.b, head[2 + i], zero);
        *first = high_byte(t.a, head[2 + i], zero);
    }
}

#endif

/* The same by any rule. */
static inline void put_any(const uint32_t *sums, int32_t bias, const dpl_requant *q,
                           const tile_out *out, int32_t channel) {
    const tile_sums t = transform_sums(sums, bias);
    int8_t *const first = out->at + channel, *const below = first + out->down;
    below[out->right] = (int8_t)dpl_requantize(q, t.d, channel);
    *below = (int8_t)dpl_requantize(q, t.c, channel);
    first[out->right] = (int8_t)dpl_requantize(q, t.b, channel);
    *first = (int8_t)dpl_requantize(q, t.a, channel);
}

/* A pair of channels of a record by the high-word rule. `head`: their biases and multipliers. */
static __attribute__((noinline)) void put_high_pair(const uint32_t *sums, const uint32_t *head,
                                                    int32_t zero, const tile_out *out,
                                                    int32_t channel) {
#pragma GCC unroll 3
    for (int32_t i = LANES - 1; i >= 0; i--) {
        put_high(sums + i, head, zero, out + i, channel);
    }
}

/* Channels `channel` and, if there is one, the next, of a record of so many tiles, last to first.
 */
static inline void put_pair(const uint32_t *sums, const uint32_t *head, const dpl_requant *q,
                            const tile_out *out, int32_t tiles, int32_t channel, int32_t channels) {
    const int32_t end = channel + 2 < channels ? channel + 2 : channels;
    if (by_high_word(q) && end == channel + 2) {
        put_high_pair(sums, head, q->rounding[0], out, channel);
        return;
    }
    for (; channel < end; channel++, head++, sums += PAIR_WORDS) {
        for (int32_t i = tiles - 1; i >= 0; i--) {
            put_any(sums + i, (int32_t)head[0], q, out + i, channel);
        }
    }
}

#endif
