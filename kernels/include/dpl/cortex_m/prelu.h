/* PRelu by the rules i32 and q32 with the bounds of the type: a body. A file has `args`, KERNEL,
 * BYTES of an element, LOAD and STORE, the mnemonics for one, and LIMIT, the bits of an output.
 *
 * The sign of an element makes the index of its entry, so there is no branch. Four elements
 * are read before the first is written: the output may take the input's place. Pixels of few
 * channels are taken several at a time, with entries for each. */
#include "dpl/body/prelu_pixel.h"
#include "dpl/cortex_m/simd.h"

enum { FEW_CHANNELS = 32, MANY_ENTRIES = 64 };

/* Entry 0 serves values from zero up, entry `below` of the same tables those below. */
typedef struct {
    const int32_t *multiplier, *rounding;
    const uint8_t *shift;
    int32_t zero, addend;
} slopes;

static inline element one_of(const slopes *s, int high, int32_t x, int32_t below) {
    const int32_t i = below & (x >> 31);
    const int32_t y = high ? scale_high(x, s->multiplier[i], s->addend)
                           : (x * s->multiplier[i] + s->rounding[i]) >> s->shift[i];
    return (element)dpl_clamp(y, LOWEST, HIGHEST);
}

#if defined(__ARM_FEATURE_DSP)

/* x and y are loaded; NEXT_X and NEXT_Y load those after them, as soon as they are free. */
#define FIRST_TWO LOAD " %[x], [%[in]], #" BYTES "\n " LOAD " %[y], [%[in]], #" BYTES "\n"
#define NEXT(X) LOAD " %[" X "], [%[in]], #" BYTES "\n"
#define INDICES                                                                                    \
    "sub %[x], %[x], %[zero]\n sub %[y], %[y], %[zero]\n"                                          \
    "add %[n], %[below], #1\n and %[i], %[below], %[x], asr #31\n"                                 \
    "add %[below], %[below], #2\n and %[j], %[n], %[y], asr #31\n"
#define TWO_BY_I32(NEXT_X, NEXT_Y)                                                                 \
    INDICES "ldr %[m], [%[tm], %[i], lsl #2]\n ldr %[n], [%[tr], %[i], lsl #2]\n"                  \
            "ldrb %[i], [%[ts], %[i]]\n ldr %[k], [%[tm], %[j], lsl #2]\n"                         \
            "mla %[m], %[x], %[m], %[n]\n ldr %[n], [%[tr], %[j], lsl #2]\n"                       \
            "ldrb %[j], [%[ts], %[j]]\n" NEXT_X "mla %[n], %[y], %[k], %[n]\n"                     \
            "asr %[m], %[m], %[i]\n" NEXT_Y "ldr %[k], %[end]\n"                                   \
            "ssat %[m], #" LIMIT ", %[m]\n asr %[n], %[n], %[j]\n"                                 \
            "ssat %[n], #" LIMIT ", %[n]\n " STORE " %[m], [%[out]], #" BYTES "\n"                 \
            "cmp %[in], %[k]\n " STORE " %[n], [%[out]], #" BYTES "\n"
#define TWO_BY_Q32(NEXT_X, NEXT_Y)                                                                 \
    INDICES "ldr %[i], [%[tm], %[i], lsl #2]\n ldr %[j], [%[tm], %[j], lsl #2]\n"                  \
            "smmlar %[i], %[x], %[i], %[addend]\n" NEXT_X                                          \
            "smmlar %[j], %[y], %[j], %[addend]\n" NEXT_Y "ssat %[i], #" LIMIT                     \
            ", %[i]\n ldr %[n], %[end]\n"                                                          \
            "ssat %[j], #" LIMIT ", %[j]\n " STORE " %[i], [%[out]], #" BYTES "\n"                 \
            "cmp %[in], %[n]\n " STORE " %[j], [%[out]], #" BYTES "\n"
/* The last two are not followed by others. */
#define ALL_BY(TWO)                                                                                \
    FIRST_TWO "ldr %[n], %[end]\n cmp %[in], %[n]\n beq 2f\n"                                      \
              "1:\n" TWO(NEXT("x"), NEXT("y")) "bne 1b\n"                                          \
                                               "2:\n" TWO("", "")

/* `count` > 0 times two in 14 cycles each, the entry of the first being `below`. */
static __attribute__((noinline)) void pairs_by_i32(const slopes *s, const element *in, element *out,
                                                   int32_t below, int32_t count) {
    const element *end = in + 2 * count;
    int32_t x, y, i, j, k, m, n;
    __asm__ volatile(
        ALL_BY(TWO_BY_I32)
        : [in] "+r"(in), [out] "+r"(out), [below] "+r"(below), [x] "=&r"(x), [y] "=&r"(y),
          [i] "=&r"(i), [j] "=&r"(j), [k] "=&r"(k), [m] "=&r"(m), [n] "=&r"(n)
        : [tm] "r"(s->multiplier), [tr] "r"(s->rounding), [ts] "r"(s->shift), [zero] "r"(s->zero),
          [end] "m"(end)
        : "cc", "memory");
}

/* The same in 11 cycles. */
static __attribute__((noinline)) void pairs_by_q32(const slopes *s, const element *in, element *out,
                                                   int32_t below, int32_t count) {
    const element *end = in + 2 * count;
    int32_t x, y, i, j, n;
    __asm__ volatile(
        ALL_BY(TWO_BY_Q32)
        : [in] "+r"(in), [out] "+r"(out), [below] "+r"(below), [x] "=&r"(x), [y] "=&r"(y),
          [i] "=&r"(i), [j] "=&r"(j), [n] "=&r"(n)
        : [tm] "r"(s->multiplier), [zero] "r"(s->zero), [addend] "r"(s->addend), [end] "m"(end)
        : "cc", "memory");
}

#else

static void pairs(const slopes *s, int high, const element *in, element *out, int32_t below,
                  int32_t count) {
    for (int32_t i = 0; i < 2 * count; i++) {
        out[i] = one_of(s, high, in[i] - s->zero, below + i);
    }
}

static void pairs_by_i32(const slopes *s, const element *in, element *out, int32_t below,
                         int32_t count) {
    pairs(s, 0, in, out, below, count);
}

static void pairs_by_q32(const slopes *s, const element *in, element *out, int32_t below,
                         int32_t count) {
    pairs(s, 1, in, out, below, count);
}

#endif

/* `count` neighbours, the entry of the first being `below`. */
static void stretch(const slopes *s, int high, const element *in, element *out, int32_t below,
                    int32_t count) {
    if (count > 1) {
        (high ? pairs_by_q32 : pairs_by_i32)(s, in, out, below, count / 2);
    }
    if (count & 1) {
        const int32_t last = count - 1;
        out[last] = one_of(s, high, in[last] - s->zero, below + last);
    }
}

/* Entries of several pixels of few channels. */
typedef struct {
    int32_t multiplier[1 + MANY_ENTRIES], rounding[1 + MANY_ENTRIES];
    uint8_t shift[1 + MANY_ENTRIES];
} repeated;

static void repeat(const slopes *s, int32_t first, int32_t channels, int32_t count, repeated *to) {
    for (int32_t i = 0, c = 0; i <= count; i++) {
        const int32_t from = i == 0 ? 0 : first + c;
        to->multiplier[i] = s->multiplier[from];
        to->rounding[i] = s->rounding[from];
        to->shift[i] = s->shift[from];
        c = i == 0 || c + 1 == channels ? 0 : c + 1;
    }
}

/* Pixels that are one after the other, `period` elements at a time. */
static void pixels_at_once(const slopes *s, int high, const element *in, element *out,
                           int32_t period, int32_t count) {
    for (int32_t i = 0; i < count; i += period) {
        stretch(s, high, in + i, out + i, 1, count - i < period ? count - i : period);
    }
}

/* Whether rows of so many elements have no gaps between them. */
static int follow(const tensor *t, int32_t row) {
    return t->row_pitch == row && t->ring_height == 0;
}

static void few_channels(const args *a, const slopes *given, int high, dpl_part part) {
    const int32_t channels = part.channels.end - part.channels.begin;
    const int32_t even = channels & 1 ? 2 * channels : channels;
    const int32_t period = MANY_ENTRIES / even * even;
    repeated entries;
    repeat(given, 1 + a->first + part.channels.begin, channels, period, &entries);
    const slopes s = {entries.multiplier, entries.rounding, entries.shift, given->zero,
                      given->addend};
    const int32_t row = a->output.width * channels, rows = part.rows.end - part.rows.begin;
    const int32_t once = follow(&a->input, row) && follow(&a->output, row) ? rows : 1;
    for (int32_t y = part.rows.begin; y < part.rows.end; y += once) {
        const element *in = row_of(&a->input, y);
        pixels_at_once(&s, high, in, row_of(&a->output, y), period, once * row);
    }
}

static void pixel_by_pixel(const args *a, const slopes *s, int high, dpl_part part) {
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *in = row_of(&a->input, y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++) {
            stretch(s, high, in, out, 1 + a->first + first, count);
            in += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

static void by_any_rule(const args *a, dpl_part part) {
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *in = row_of(&a->input, y);
        element *out = row_of(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++) {
            pixel(a, part.channels, in, out);
            in += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const dpl_requant *q = &a->requant;
    const slopes s = {q->multiplier, q->rounding, q->shift, a->input_zero, q->rounding[0]};
    const int32_t count = part.channels.end - part.channels.begin;
    const int high = q->rule == DPL_Q32, full = q->low == LOWEST && q->high == HIGHEST;
    const int whole = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    if (!full || (!high && q->rule != DPL_I32)) {
        by_any_rule(a, part);
    } else if (whole && count < FEW_CHANNELS) {
        few_channels(a, &s, high, part);
    } else {
        pixel_by_pixel(a, &s, high, part);
    }
}
