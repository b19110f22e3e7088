/* Two output channels (a, b) times three tiles, at each of a tile's 16 positions.
 *
 * Both sides are pairs of int16 in memory: beside six smlad stand the five loads of the next, and
 * nothing waits:
 *
 *     cycle  product   beside it
 *     1      a * x0    load x2
 *     2      a * x1    load b
 *     3      a * x2    load a of the next two channels
 *     4      b * x0    load x0 of the next
 *     5      b * x1    load x1 of the next
 *     6      b * x2
 *
 * Four channels are 12 cycles for 24 products; up to 64 take no loop, since its end would be
 * mispredicted at every position. The first four channels multiply without adding, and the others
 * are entered where as many are left. A position takes 8 cycles more to store its sums. */
#ifndef DPL_CORTEX_M_WINOGRAD_PRODUCTS_H
#define DPL_CORTEX_M_WINOGRAD_PRODUCTS_H

#include "dpl/cortex_m/code_bytes.h"
#include "dpl/cortex_m/winograd.h"

#if defined(__ARM_FEATURE_DSP)

/* Bytes of code of four channels, how many fours there are behind the first, and bytes of the
 * loop's end. */
#define FOUR_BYTES 88
#define FOURS 15
#define LAST_BYTES 8

#define TWO_CHANNELS(OP, A0, A1, A2, B0, B1, B2)                                                   \
    OP " %[a0], %[w0], %[x0]" A0 "\n ldr.w %[x2], [%[at], #8]\n" OP " %[a1], %[w0], %[x1]" A1      \
       "\n ldr.w %[w1], [%[w]], #4\n" OP " %[a2], %[w0], %[x2]" A2                                 \
       "\n ldr.w %[w0], [%[w]], #4\n" OP " %[b0], %[w1], %[x0]" B0                                 \
       "\n ldr.w %[x0], [%[at], #192]!\n" OP " %[b1], %[w1], %[x1]" B1                             \
       "\n ldr.w %[x1], [%[at], #4]\n" OP " %[b2], %[w1], %[x2]" B2 "\n"

#define SET_TWO TWO_CHANNELS("smuad", "", "", "", "", "", "")
#define ADD_TWO                                                                                    \
    TWO_CHANNELS("smlad", ", %[a0]", ", %[a1]", ", %[a2]", ", %[b0]", ", %[b1]", ", %[b2]")

/* `end` is where the last two channels of the position begin; the sums lie behind them. */
#define NEXT_POSITION                                                                              \
    "ldr %[x2], %[back]\n str %[a0], [%[end], #192]\n"                                             \
    "ldr %[w1], %[limit]\n str %[a1], [%[end], #196]\n"                                            \
    "add %[at], %[at], %[x2]\n str %[a2], [%[end], #200]\n"                                        \
    "ldr %[x0], [%[at]]\n str %[b0], [%[end], #384]\n"                                             \
    "ldr %[x1], [%[at], #4]\n str %[b1], [%[end], #388]\n"                                         \
    "str %[b2], [%[end], #392]\n add %[end], %[end], #12\n"                                        \
    "cmp %[end], %[w1]\n bne 3b\n"

/* The sums of the pair of channels whose weights begin at `w`, into the record. Reads a word behind
 * the weights. */
static __attribute__((noinline)) void sum_record(const uint32_t *w, uint32_t *record,
                                                 int32_t channels) {
    const int32_t fours = channels / 4 - 1;
    const int32_t skipped = fours ? FOURS - 1 - (fours - 1) % FOURS : FOURS;
    const int32_t enter = skipped * FOUR_BYTES + (fours ? 0 : LAST_BYTES) + 1;
    const int32_t back = LANES * 4 - channels / 2 * PAIR_WORDS * 4;
    const uint32_t *at = record, *end = record + (channels / 2 - 1) * PAIR_WORDS;
    const uint32_t *const limit = end + PAIR_WORDS;
    const uint8_t *entry;
    uint32_t w0, w1, x0, x1, x2;
    int32_t a0, a1, a2, b0, b1, b2;
    __asm__ volatile(
        "adr.w %[x0], 1f\n ldr %[x1], %[enter]\n add %[x0], %[x0], %[x1]\n str %[x0], %[entry]\n"
        "ldr %[w0], [%[w]], #4\n ldr %[x0], [%[at]]\n ldr %[x1], [%[at], #4]\n"
        "b 3f\n"
        ".p2align 3\n"
        "3:\n" SET_TWO ADD_TWO "ldr.w pc, %[entry]\n"
        ".p2align 3\n"
        "1:\n .rept " TEXT_OF(FOURS) " - 1\n" ADD_TWO ADD_TWO ".endr\n" ENDS_AT(
            "(" TEXT_OF(FOURS) " - 1) * " TEXT_OF(FOUR_BYTES)) ADD_TWO
        "cmp.w %[at], %[end]\n" ADD_TWO
        "bne.w 1b\n" ENDS_AT(TEXT_OF(FOURS) " * " TEXT_OF(FOUR_BYTES) " + " TEXT_OF(LAST_BYTES))
            NEXT_POSITION
        : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [b0] "=&r"(b0), [b1] "=&r"(b1),
          [b2] "=&r"(b2), [w0] "=&r"(w0), [w1] "=&r"(w1), [x0] "=&r"(x0), [x1] "=&r"(x1),
          [x2] "=&r"(x2), [w] "+r"(w), [at] "+r"(at), [end] "+r"(end), [entry] "=m"(entry)
        : [enter] "m"(enter), [back] "m"(back), [limit] "m"(limit)
        : "cc", "memory");
}

#else

static inline void sum_record(const uint32_t *w, uint32_t *record, int32_t channels) {
    uint32_t *const sums = record + channels / 2 * PAIR_WORDS;
    for (int32_t i = 0; i < POSITIONS * LANES; i++) {
        uint32_t a = 0, b = 0;
        for (int32_t pair = 0; pair < channels / 2; pair++) {
            const uint32_t *const both = w + i / LANES * channels + 2 * pair;
            a += (uint32_t)dual_mac(both[0], record[pair * PAIR_WORDS + i], 0);
            b += (uint32_t)dual_mac(both[1], record[pair * PAIR_WORDS + i], 0);
        }
        sums[i] = a;
        sums[i + POSITIONS * LANES] = b;
    }
}

#endif

#endif
