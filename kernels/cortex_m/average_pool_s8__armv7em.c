/* AveragePool, int8: sxtab16 adds two channels of a tap, sixteen channels in registers.
 *
 * A tap of sixteen channels is 15 instructions, 9 cycles (pipeline model of the Cortex-M7). Sums
 * of up to 256 taps fit a halfword; more rows of taps than that are added up in parts. The last
 * channels of a pixel are a word over those before. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/bytes.h"
#include "dpl/mean.h"
#include "dpl/pool.h"
#include "dpl/window.h"

enum { LANES = 16, BLOCK = 64, STRETCHES = 2 };

/* The taps of a pixel in rows that are `step` apart: a ring may wrap around once between them. */
typedef struct {
    int32_t offset[STRETCHES], rows[STRETCHES];
    int32_t step, width, pitch;
} tap_rows;

static tap_rows tap_rows_of(const dpl_taps *taps) {
    dpl_row_walk rows = taps->rows;
    tap_rows t = {{rows.offset, 0}, {0, 0}, rows.step, 0, taps->pitch};
    for (int32_t y = taps->y.begin; y < taps->y.end; y++) {
        const int32_t before = rows.offset;
        const int wrapped = t.rows[1] > 0 || (t.rows[0] > 0 && before < t.offset[0]);
        t.offset[1] = wrapped && t.rows[1] == 0 ? before : t.offset[1];
        t.rows[wrapped]++;
        dpl_next_row(&rows);
    }
    return t;
}

/* Halfword sums of sixteen channels over rows of taps: to[2 * i] are channels 4 * i and 4 * i + 2,
 * to[2 * i + 1] those beside them. */
#if defined(__ARM_FEATURE_DSP)

static __attribute__((noinline)) void sixteen_of(const int8_t *x, int32_t rows, const tap_rows *t,
                                                 uint32_t to[8]) {
    const int32_t bytes = t->width * t->pitch, gap = t->step - bytes;
    const int32_t pitch = t->pitch;
    uint32_t e0, o0, e1, o1, e2, o2, e3, o3, p;
    const int8_t *end;
    __asm__ volatile("mov %[e0], #0\n mov %[o0], #0\n mov %[e1], #0\n mov %[o1], #0\n"
                     "mov %[e2], #0\n mov %[o2], #0\n mov %[e3], #0\n mov %[o3], #0\n"
                     "2: ldr %[end], %[bytes]\n"
                     "add %[end], %[end], %[x]\n"
                     "1: ldr %[p], [%[x]]\n"
                     "sxtab16 %[e0], %[e0], %[p]\n"
                     "sxtab16 %[o0], %[o0], %[p], ror #8\n ldr %[p], [%[x], #4]\n"
                     "sxtab16 %[e1], %[e1], %[p]\n"
                     "sxtab16 %[o1], %[o1], %[p], ror #8\n ldr %[p], [%[x], #8]\n"
                     "sxtab16 %[e2], %[e2], %[p]\n"
                     "sxtab16 %[o2], %[o2], %[p], ror #8\n ldr %[p], [%[x], #12]\n"
                     "sxtab16 %[e3], %[e3], %[p]\n add %[x], %[x], %[pitch]\n"
                     "sxtab16 %[o3], %[o3], %[p], ror #8\n cmp %[x], %[end]\n"
                     "bne 1b\n"
                     "ldr %[p], %[gap]\n ldr %[end], %[rows]\n"
                     "add %[x], %[x], %[p]\n subs %[end], %[end], #1\n"
                     "str %[end], %[rows]\n bne 2b\n"
                     : [x] "+r"(x), [e0] "=&r"(e0), [o0] "=&r"(o0), [e1] "=&r"(e1), [o1] "=&r"(o1),
                       [e2] "=&r"(e2), [o2] "=&r"(o2), [e3] "=&r"(e3), [o3] "=&r"(o3), [p] "=&r"(p),
                       [end] "=&r"(end), [rows] "+m"(rows)
                     : [pitch] "r"(pitch), [bytes] "m"(bytes), [gap] "m"(gap)
                     : "cc", "memory");
    to[0] = e0, to[1] = o0, to[2] = e1, to[3] = o1;
    to[4] = e2, to[5] = o2, to[6] = e3, to[7] = o3;
}

#else

static void sixteen_of(const int8_t *x, int32_t rows, const tap_rows *t, uint32_t to[8]) {
    for (int32_t i = 0; i < 8; i++) {
        to[i] = 0;
    }
    for (; rows > 0; rows--, x += t->step) {
        for (int32_t at = 0; at < t->width * t->pitch; at += t->pitch) {
            for (int32_t i = 0; i < 4; i++) {
                const uint32_t word = load_word(x + at + 4 * i);
                to[2 * i] = add_even_bytes(to[2 * i], word);
                to[2 * i + 1] = add_odd_bytes(to[2 * i + 1], word);
            }
        }
    }
}

#endif

static inline void add_sixteen(const tap_rows *t, const int8_t *input, uint32_t to[8]) {
    sixteen_of(input + t->offset[0], t->rows[0], t, to);
    if (t->rows[1] > 0) {
        uint32_t more[8];
        sixteen_of(input + t->offset[1], t->rows[1], t, more);
        for (int32_t i = 0; i < 8; i++) {
            to[i] = add_halves(to[i], more[i]);
        }
    }
}

/* The same of four channels, added to what `to` holds. */
static void add_four(const tap_rows *t, const int8_t *x, int32_t rows, uint32_t to[2]) {
    uint32_t even = to[0], odd = to[1];
    for (; rows > 0; rows--, x += t->step) {
        const int8_t *tap = x;
        for (int32_t left = t->width; left > 0; left--, tap += t->pitch) {
            const uint32_t word = load_word(tap);
            even = add_even_bytes(even, word);
            odd = add_odd_bytes(odd, word);
        }
    }
    to[0] = even;
    to[1] = odd;
}

/* The entry of a window, by i32 or shift; by another rule `requant` has it. */
typedef struct {
    int32_t multiplier, rounding, shift, low, high;
    const dpl_requant *requant;
    int32_t entry;
} mean;

static inline int32_t mean_of(const mean *m, int32_t sum) {
    if (m->requant) {
        return dpl_requantize_mean(m->requant, sum, m->entry);
    }
    return (sum * m->multiplier + m->rounding) >> m->shift;
}

/* `fours` > 0 times four channels of halfword sums to outputs, saturated to int8. */
#if defined(__ARM_FEATURE_DSP)

static __attribute__((noinline)) void finish_products(const mean *m, const uint32_t *sums,
                                                      int8_t *out, int32_t fours) {
    const uint32_t *end = sums + 2 * fours;
    int32_t s0, s1, s2, s3;
    __asm__ volatile(
        "1: ldrsh %[s0], [%[sums]], #8\n ldrsh %[s1], [%[sums], #-4]\n"
        "ldrsh %[s2], [%[sums], #-6]\n ldrsh %[s3], [%[sums], #-2]\n"
        "mla %[s0], %[s0], %[m], %[r]\n cmp %[sums], %[end]\n"
        "mla %[s1], %[s1], %[m], %[r]\n"
        "mla %[s2], %[s2], %[m], %[r]\n asr %[s0], %[s0], %[shift]\n"
        "mla %[s3], %[s3], %[m], %[r]\n asr %[s1], %[s1], %[shift]\n"
        "ssat %[s0], #8, %[s0]\n asr %[s2], %[s2], %[shift]\n"
        "ssat %[s1], #8, %[s1]\n strb %[s0], [%[out]], #4\n"
        "ssat %[s2], #8, %[s2]\n strb %[s1], [%[out], #-3]\n"
        "asr %[s3], %[s3], %[shift]\n strb %[s2], [%[out], #-2]\n"
        "ssat %[s3], #8, %[s3]\n strb %[s3], [%[out], #-1]\n bne 1b\n"
        : [sums] "+r"(sums), [out] "+r"(out), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2),
          [s3] "=&r"(s3)
        : [m] "r"(m->multiplier), [r] "r"(m->rounding), [shift] "r"(m->shift), [end] "r"(end)
        : "cc", "memory");
}

#endif

static void finish_one_by_one(const mean *m, const uint32_t *sums, int8_t *out, int32_t fours) {
    for (; fours > 0; fours--, sums += 2, out += 4) {
        out[0] = (int8_t)saturate8(mean_of(m, (int16_t)sums[0]));
        out[1] = (int8_t)saturate8(mean_of(m, (int16_t)sums[1]));
        out[2] = (int8_t)saturate8(mean_of(m, (int32_t)sums[0] >> 16));
        out[3] = (int8_t)saturate8(mean_of(m, (int32_t)sums[1] >> 16));
    }
}

static inline void finish_halves(const mean *m, const uint32_t *sums, int8_t *out, int32_t fours) {
#if defined(__ARM_FEATURE_DSP)
    if (!m->requant) {
        finish_products(m, sums, out, fours);
        return;
    }
#endif
    finish_one_by_one(m, sums, out, fours);
}

static void small_window(const tap_rows *t, const mean *m, const int8_t *input, int32_t channels,
                         int8_t *out) {
    uint32_t sums[BLOCK / 2];
    int32_t c = 0;
    while (c + LANES <= channels) {
        const int32_t first = c;
        for (; c + LANES <= channels && c - first < BLOCK; c += LANES) {
            add_sixteen(t, input + c, sums + (c - first) / 2);
        }
        finish_halves(m, sums, out + first, (c - first) / 4);
    }
    for (; c < channels; c += 4) {
        const int32_t at = c + 4 <= channels ? c : channels - 4;
        sums[0] = sums[1] = 0;
        for (int32_t i = 0; i < STRETCHES; i++) {
            add_four(t, input + at + t->offset[i], t->rows[i], sums);
        }
        finish_halves(m, sums, out + at, 1);
    }
}

/* Outputs within int8 to narrower bounds. */
static void cut(const mean *m, int32_t channels, int8_t *out) {
    for (int32_t c = 0; c < channels; c++) {
        out[c] = (int8_t)dpl_clamp(out[c], m->low, m->high);
    }
}

/* As many rows at a time as sums in halfwords allow. */
static void large_window(const tap_rows *t, const mean *m, const int8_t *input, int8_t *out) {
    const int32_t most = DPL_MAX_HALFWORD_TAPS / t->width;
    int32_t sums[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < STRETCHES; i++) {
        for (int32_t y = 0; y < t->rows[i]; y += most) {
            const int32_t left = t->rows[i] - y;
            uint32_t halves[2] = {0, 0};
            add_four(t, input + t->offset[i] + y * t->step, left < most ? left : most, halves);
            sums[0] += (int16_t)halves[0];
            sums[1] += (int16_t)halves[1];
            sums[2] += (int32_t)halves[0] >> 16;
            sums[3] += (int32_t)halves[1] >> 16;
        }
    }
    for (int32_t i = 0; i < 4; i++) {
        out[i] = (int8_t)saturate8(mean_of(m, sums[i]));
    }
}

static void few_channels(const dpl_taps *taps, const mean *m, const int8_t *input, int32_t channels,
                         int8_t *out) {
    for (int32_t c = 0; c < channels; c++) {
        dpl_row_walk rows = taps->rows;
        int32_t sum = 0;
        for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
            const int8_t *x = input + rows.offset + c;
            for (int32_t left = taps->x.end - taps->x.begin; left > 0; left--, x += taps->pitch) {
                sum += *x;
            }
        }
        out[c] = (int8_t)saturate8(mean_of(m, sum));
    }
}

static void pixel(const dpl_pool_s8_args *a, const dpl_taps *taps, tap_rows *t, int8_t *out) {
    const dpl_requant *q = &a->requant;
    const int32_t count = dpl_taps_count(taps), entry = (count - 1) * q->channel_step;
    const int products = q->rule == DPL_I32 || q->rule == DPL_SHIFT;
    const mean m = {q->rule == DPL_SHIFT ? 1 : q->multiplier[entry],
                    q->rounding[entry],
                    q->shift[entry],
                    q->low,
                    q->high,
                    products ? 0 : q,
                    count - 1};
    const int8_t *input = a->input.data + taps->column;
    const int32_t channels = a->output.channels;
    t->width = taps->x.end - taps->x.begin;
    if (channels < 4) {
        few_channels(taps, &m, input, channels, out);
    } else if (count <= DPL_MAX_HALFWORD_TAPS) {
        small_window(t, &m, input, channels, out);
    } else {
        for (int32_t c = 0; c < channels; c += 4) {
            const int32_t at = c + 4 <= channels ? c : channels - 4;
            large_window(t, &m, input + at, out + at);
        }
    }
    if (m.low > -128 || m.high < 127) {
        cut(&m, channels, out);
    }
}

void dpl_average_pool_s8__armv7em(const dpl_pool_s8_args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    for (int32_t y = rows.begin; y < rows.end; y++) {
        dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, y);
        tap_rows t = tap_rows_of(&taps);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
            dpl_taps_of_column(&taps, &a->input, &a->window, x);
            pixel(a, &taps, &t, out);
        }
    }
}
