/* PRelu by the rules i32 and q32 with the bounds of the type: a body. A file has `args`,
 * BYTES of an element, LOAD and STORE, the mnemonics for one, and LIMIT, the bits of an output; its
 * function calls `by_pairs`.
 *
 * The sign of an element makes the index of its entry, so there is no branch. Four elements
 * are read before the first is written: the output may take the input's place. Pixels of few
 * channels are taken several at a time, with an entry for each element: a multiplier alone, since
 * the high word of a product of larger factors is what i32 computes with its shift. */
#include "dpl/body/prelu_pixel.h"
#include "dpl/cortex_m/simd.h"

/* An element less its zero point still fits a word when it is shifted by MOST_UP. */
enum { FEW_CHANNELS = 64, MANY_ENTRIES = 128, MOST_UP = sizeof(element) == 1 ? 22 : 15 };

/* Entry 0 serves values from zero up, entry `below` of the same tables those below. By q32 inputs
 * are shifted by `up` before the product. */
typedef struct {
    const int32_t *multiplier, *rounding;
    const uint8_t *shift;
    int32_t zero, addend, up;
} slopes;

static inline element one_of(const slopes *s, int high, int32_t x, int32_t below) {
    const int32_t i = below & (x >> 31);
    const int32_t y = high ? scale_high(x * (1 << s->up), s->multiplier[i], s->addend)
                           : (x * s->multiplier[i] + s->rounding[i]) >> s->shift[i];
    return (element)dpl_clamp(y, LOWEST, HIGHEST);
}

#if defined(__ARM_FEATURE_DSP)

/* x and y are loaded; NEXT_X and NEXT_Y load those after them, as soon as they are free. */
#define FIRST_TWO LOAD " %[x], [%[in]], #" BYTES "\n " LOAD " %[y], [%[in]], #" BYTES "\n"
#define NEXT(X) LOAD " %[" X "], [%[in]], #" BYTES "\n"
#define INDICES                                                                                    \
    FROM_ZERO "add %[n], %[below], #1\n and %[i], %[below], %[x], asr #31\n"                       \
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
    INDICES "lsl %[x], %[x], %[up]\n ldr %[i], [%[tm], %[i], lsl #2]\n ldr %[j], [%[tm], %[j], "   \
            "lsl #2]\n"                                                                            \
            "lsl %[y], %[y], %[up]\n smmlar %[i], %[x], %[i], %[addend]\n" NEXT_X                  \
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
    __asm__ volatile(ALL_BY(TWO_BY_Q32)
                     : [in] "+r"(in), [out] "+r"(out), [below] "+r"(below), [x] "=&r"(x),
                       [y] "=&r"(y), [i] "=&r"(i), [j] "=&r"(j), [n] "=&r"(n)
                     : [tm] "r"(s->multiplier), [zero] "r"(s->zero), [addend] "r"(s->addend),
                       [up] "r"(s->up), [end] "m"(end)
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

/* An entry of i32 as a multiplier of q32 of inputs shifted by `up`: the same integers where nothing
 * overflows and the rounding constant is a half and `zero`, otherwise `lost` is no longer 0. No
 * branch: entries of a small image take as long as its elements. */
static inline int32_t by_high_word(int32_t m, int32_t rounding, int32_t shift, int32_t zero,
                                   int32_t up, int32_t *lost) {
    const int32_t more = 32 - shift - up, multiplier = (int32_t)((uint32_t)m << more);
    const uint32_t expected = ((uint32_t)zero << shift) + (1u << shift >> 1);
    *lost |= (multiplier >> more ^ m) | (int32_t)(expected - (uint32_t)rounding);
    return multiplier;
}

/* The greater of each byte, which is below 128. */
static inline uint32_t greater_bytes(uint32_t a, uint32_t b) {
#if defined(__ARM_FEATURE_DSP)
    uint32_t over;
    __asm__("uqsub8 %0, %1, %2" : "=r"(over) : "r"(a), "r"(b));
    return b + over;
#else
    uint32_t most = 0;
    for (int32_t i = 0; i < 32; i += 8) {
        const uint32_t x = a >> i & 255, y = b >> i & 255;
        most |= (x > y ? x : y) << i;
    }
    return most;
#endif
}

/* The most of `first` and so many others, four at a time. */
static int32_t most_shift(int32_t first, const uint8_t *shift, int32_t count) {
    uint32_t four = (uint32_t)first;
    for (; count >= 4; count -= 4, shift += 4) {
        four = greater_bytes(four, load_word(shift));
    }
    four = greater_bytes(four, four >> 16);
    int32_t most = (int32_t)(greater_bytes(four, four >> 8) & 255);
    for (; count > 0; count--, shift++) {
        most = *shift > most ? *shift : most;
    }
    return most;
}

/* Multipliers of several pixels of few channels. */
typedef struct {
    int32_t multiplier[1 + MANY_ENTRIES];
} repeated;

/* Those of `count` elements from channel `first`; 0 where the rule cannot be q32. Those of q32
 * stay as they are. */
static int repeat(slopes *s, int high, int32_t first, int32_t channels, int32_t count,
                  repeated *to) {
    const int32_t most = most_shift(*s->shift, s->shift + first, channels);
    const int32_t zero = (*s->rounding - (int32_t)(1u << *s->shift >> 1)) >> *s->shift;
    const int32_t up = high ? 0 : 32 - most < MOST_UP ? 32 - most : MOST_UP;
    /* One that fits when it is shifted by most fits with every entry. */
    int32_t *m = to->multiplier, lost = (int32_t)((uint32_t)zero << most) >> most ^ zero;
    const int32_t *multiplier = s->multiplier, *rounding = s->rounding;
    const uint8_t *shift = s->shift;
    for (int32_t i = 0, from = 0; i <= channels; from = first + i, i++) {
        m[i] = high ? multiplier[from]
                    : by_high_word(multiplier[from], rounding[from], shift[from], zero, up, &lost);
    }
    for (int32_t i = channels + 1; i <= count; i++) {
        m[i] = m[i - channels];
    }
    s->addend = high ? s->addend : zero;
    s->up = up;
    s->multiplier = to->multiplier;
    return lost == 0;
}

/* Pixels that are one after the other, `period` elements at a time. */
static void pixels_at_once(const slopes *s, const element *in, element *out, int32_t period,
                           int32_t count) {
    for (int32_t i = 0; i < count; i += period) {
        stretch(s, 1, in + i, out + i, 1, count - i < period ? count - i : period);
    }
}

/* 0 where the entries are none of these. */
static int few_channels(const args *a, slopes s, int high, dpl_part part) {
    const int32_t channels = part.channels.end - part.channels.begin;
    const int32_t row = a->output.width * channels, rows = part.rows.end - part.rows.begin;
    const int follow = DPL_ROWS_FOLLOW(&a->input, row) && DPL_ROWS_FOLLOW(&a->output, row);
    const int32_t once = follow ? rows : 1, even = channels & 1 ? 2 * channels : channels;
    const int32_t most = MANY_ENTRIES / even * even, period = once * row < most ? once * row : most;
    repeated entries;
    if (!repeat(&s, high, 1 + a->first + part.channels.begin, channels, period, &entries)) {
        return 0;
    }
    for (int32_t y = part.rows.begin; y < part.rows.end; y += once) {
        const element *in = row_of(&a->input, y);
        pixels_at_once(&s, in, row_of(&a->output, y), period, once * row);
    }
    return 1;
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

static void by_pairs(const args *a, dpl_part part) {
    const dpl_requant *q = &a->requant;
    const slopes s = {q->multiplier, q->rounding, q->shift, a->input_zero, q->rounding[0], 0};
    const int32_t count = part.channels.end - part.channels.begin;
    const int high = q->rule == DPL_Q32, full = q->low == LOWEST && q->high == HIGHEST;
    const int whole = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    if (!full || (!high && q->rule != DPL_I32)) {
        by_any_rule(a, part);
    } else if (!whole || count > FEW_CHANNELS || !few_channels(a, s, high, part)) {
        pixel_by_pixel(a, &s, high, part);
    }
}
