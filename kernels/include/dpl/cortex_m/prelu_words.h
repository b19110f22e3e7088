/* PRelu of int16 without zero points, by the rules i32 and q32 with the bounds of the type.
 *
 * A word's two elements are cut into those above zero and those below, one of which is 0 each, so
 * that an output is the sum of two products of a word and a halfword, of which the lowest 16 bits
 * are dropped: ((x * m >> 16) + addend) >> FRACTION. Entries of i32 become multipliers of that form
 * where no bit is lost; q32 is of it. Entries are made once, for several pixels where channels are
 * few, and then go through all pixels. */
#ifndef DPL_CORTEX_M_PRELU_WORDS_H
#define DPL_CORTEX_M_PRELU_WORDS_H

#include "dpl/cores.h"
#include "dpl/cortex_m/simd.h"

/* Multipliers of i32 below 8 and of no more than 28 bits behind the point have FRACTION_I32. */
enum { WORD_ENTRIES = 128, MORE_ENTRIES = 512, FRACTION_I32 = 12, FRACTION_Q32 = 16 };

/* `first` serves values from zero up; `high`: as of q32. `below` has so much room. */
typedef struct {
    int32_t first, addend, high, room;
    int32_t *below;
} word_entries;

static int32_t word_output(const word_entries *e, int32_t x, int32_t below) {
    const int32_t m = x < 0 ? below : e->first;
    const int32_t sum = (int32_t)(((int64_t)x * m) >> 16) + e->addend;
    return dpl_clamp(sum >> (e->high ? FRACTION_Q32 : FRACTION_I32), INT16_MIN, INT16_MAX);
}

/* Elements that fill no group, of the multipliers from `at`. */
static void word_singles(const word_entries *e, const int16_t *in, int16_t *out, int32_t at,
                         int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = (int16_t)word_output(e, in[i], e->below[at + i]);
    }
}

#if defined(__ARM_FEATURE_DSP)

/* `count` > 0 times four, which are read before one is written, in 18 cycles for 30 instructions:
 * the second word is stored when the next is loaded, saturations stand beside products. */
#define WORD_FIRST                                                                                 \
    "ldr %[y], [%[in]], #8\n ldr %[m], [%[table]], #16\n subs %[count], %[count], #1\n"            \
    "ldr %[n], [%[table], #-12]\n"
#define WORD_FOURS(NAME, FRACTION)                                                                 \
    static __attribute__((noinline)) void NAME(const word_entries *e, const int16_t *in,           \
                                               int16_t *out, int32_t at, int32_t count) {          \
        const int32_t *table = e->below + at;                                                      \
        int32_t x, y, p, m, n, s, t;                                                               \
        __asm__ volatile(                                                                          \
            WORD_FIRST "b 2f\n"                                                                    \
                       "1:\n ldr %[y], [%[in]], #8\n ldr %[m], [%[table]], #16\n"                  \
                       "pkhbt %[x], %[x], %[p], lsl #16\n subs %[count], %[count], #1\n"           \
                       "ldr %[n], [%[table], #-12]\n str %[x], [%[out], #-4]\n"                    \
                       "2:\n ssub16 %[p], %[y], %[zero]\n ldr %[x], [%[in], #-4]\n"                \
                       "sel %[p], %[y], %[zero]\n"                                                 \
                       "eor %[y], %[y], %[p]\n smlawb %[s], %[first], %[p], %[add]\n"              \
                       "smlawt %[t], %[first], %[p], %[add]\n"                                     \
                       "ssub16 %[p], %[x], %[zero]\n smlawb %[s], %[m], %[y], %[s]\n"              \
                       "sel %[p], %[x], %[zero]\n smlawt %[t], %[n], %[y], %[t]\n"                 \
                       "ldr %[m], [%[table], #-8]\n ldr %[n], [%[table], #-4]\n"                   \
                       "eor %[x], %[x], %[p]\n smlawb %[y], %[first], %[p], %[add]\n"              \
                       "ssat %[s], #16, %[s], asr #" FRACTION                                      \
                       "\n smlawt %[p], %[first], %[p], %[add]\n"                                  \
                       "ssat %[t], #16, %[t], asr #" FRACTION "\n smlawb %[y], %[m], %[x], %[y]\n" \
                       "smlawt %[p], %[n], %[x], %[p]\n"                                           \
                       "ssat %[x], #16, %[y], asr #" FRACTION "\n"                                 \
                       "pkhbt %[s], %[s], %[t], lsl #16\n str %[s], [%[out]], #8\n"                \
                       "ssat %[p], #16, %[p], asr #" FRACTION "\n bne 1b\n"                        \
                       "pkhbt %[x], %[x], %[p], lsl #16\n str %[x], [%[out], #-4]\n"               \
            : [in] "+r"(in), [out] "+r"(out), [table] "+r"(table), [count] "+r"(count),            \
              [x] "=&r"(x), [y] "=&r"(y), [p] "=&r"(p), [m] "=&r"(m), [n] "=&r"(n), [s] "=&r"(s),  \
              [t] "=&r"(t)                                                                         \
            : [zero] "r"(0), [first] "r"(e->first), [add] "r"(e->addend)                           \
            : "cc", "memory");                                                                     \
    }

WORD_FOURS(fours_of_i32, "12")
WORD_FOURS(fours_of_q32, "16")

#else

static void fours_of_i32(const word_entries *e, const int16_t *in, int16_t *out, int32_t at,
                         int32_t count) {
    word_singles(e, in, out, at, 4 * count);
}

#define fours_of_q32 fours_of_i32

#endif

/* A pixel's part, or a period of pixels. Words are taken where they are aligned in the input. */
static void word_stretch(const word_entries *e, const int16_t *in, int16_t *out, int32_t count) {
    const int32_t lead = (uintptr_t)in & 2 && count > 0 ? 1 : 0, fours = (count - lead) / 4;
    const int32_t done = lead + 4 * fours;
    word_singles(e, in, out, 0, lead);
    if (fours > 0) {
        (e->high ? fours_of_q32 : fours_of_i32)(e, in + lead, out + lead, lead, fours);
    }
    word_singles(e, in + done, out + done, done, count - done);
}

/* An entry in that form, 0 in `lost` where no bit of it is and its rounding constant is a half. */
static inline int32_t word_entry(const dpl_requant *q, int32_t i, int32_t *lost) {
    const int32_t m = q->multiplier[i], shift = q->shift[i], up = 16 + FRACTION_I32 - shift;
    const int32_t scaled = (int32_t)((uint32_t)m << (up & 31));
    const int32_t half = (int32_t)(1u << (shift & 31) >> 1);
    *lost |= (scaled >> (up & 31) ^ m) | (half ^ q->rounding[i]) | (up & ~31);
    return scaled;
}

/* Those of values from zero up, of `channels` from entry `at`, again and again. 0 where they have
 * not that form. */
static int fill_entries(const dpl_requant *q, int32_t at, int32_t channels, int32_t count,
                        word_entries *e) {
    int32_t lost = 0;
    e->high = q->rule == DPL_Q32;
    e->addend = 1 << ((e->high ? FRACTION_Q32 : FRACTION_I32) - 1);
    e->first = e->high ? *q->multiplier : word_entry(q, 0, &lost);
    for (int32_t i = 0; i < channels; i++) {
        e->below[i] = e->high ? q->multiplier[at + i] : word_entry(q, at + i, &lost);
    }
    for (int32_t i = channels; i < count; i++) {
        e->below[i] = e->below[i - channels];
    }
    return lost == 0 && (!e->high || *q->rounding == 0);
}

/* Elements of so many pixels that the next begin at a group of four, where there is room. */
static int32_t word_period(int32_t channels, int32_t room, int32_t most) {
    const int32_t pixels = channels & 1 ? 4 : channels & 2 ? 2 : 1, full = pixels * channels;
    const int32_t unit = full <= room ? full : channels;
    const int32_t period = room / unit * unit;
    return period < most ? period : most;
}

/* Pixels that follow one another, of no more channels than entries. */
static __attribute__((noinline)) int words_of_rows(const args *a, word_entries *e, dpl_part part) {
    const int32_t channels = a->output.channels, row = a->output.width * channels;
    const int follow = DPL_ROWS_FOLLOW(&a->input, row) && DPL_ROWS_FOLLOW(&a->output, row);
    const int32_t once = follow ? part.rows.end - part.rows.begin : 1, length = once * row;
    const int32_t period = word_period(channels, e->room, length);
    if (!fill_entries(&a->requant, 1 + a->first, channels, period, e)) {
        return 0;
    }
    for (int32_t y = part.rows.begin; y < part.rows.end; y += once) {
        const int16_t *in = row_of(&a->input, y);
        int16_t *out = row_of(&a->output, y);
        for (int32_t i = 0; i < length; i += period) {
            word_stretch(e, in + i, out + i, length - i < period ? length - i : period);
        }
    }
    return 1;
}

/* This core's channels of each pixel. */
static __attribute__((noinline)) int words_of_pixels(const args *a, word_entries *e,
                                                     dpl_part part) {
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    if (!fill_entries(&a->requant, 1 + a->first + first, count, count, e)) {
        return 0;
    }
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int16_t *in = row_of(&a->input, y) + first;
        int16_t *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++) {
            word_stretch(e, in, out, count);
            in += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
    return 1;
}

/* Entries lie on the stack, few of most layers. */
static __attribute__((noinline)) int by_few_entries(const args *a, dpl_part part, int rows) {
    int32_t below[WORD_ENTRIES];
    word_entries e = {.room = WORD_ENTRIES, .below = below};
    return (rows ? words_of_rows : words_of_pixels)(a, &e, part);
}

static __attribute__((noinline)) int by_more_entries(const args *a, dpl_part part, int rows) {
    int32_t below[MORE_ENTRIES];
    word_entries e = {.room = MORE_ENTRIES, .below = below};
    return (rows ? words_of_rows : words_of_pixels)(a, &e, part);
}

/* 0 where the entries have not that form: nothing is written. */
static int by_words(const args *a, dpl_part part) {
    const dpl_requant *q = &a->requant;
    const int32_t channels = a->output.channels, count = part.channels.end - part.channels.begin;
    const int whole = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    const int full = q->low == INT16_MIN && q->high == INT16_MAX && a->input_zero == 0;
    const int has = q->rule == DPL_Q32 || q->rule == DPL_I32;
    if (!full || !has || count > MORE_ENTRIES) {
        return 0;
    }
    return (count > WORD_ENTRIES ? by_more_entries : by_few_entries)(a, part,
                                                                     whole && count == channels);
}

#endif
