/* MaxPool, int8: ssub8 and sel take the larger of four bytes, sixteen channels in registers.
 *
 * A tap of sixteen channels is 15 instructions, 8 cycles (pipeline model of the Cortex-M7). The
 * last channels of a pixel are a word over those before. */
#include "dpl/cores.h"
#include "dpl/cortex_m/bytes.h"
#include "dpl/pool.h"
#include "dpl/window.h"

enum { LANES = 16 };

/* The taps of one window row: `width` > 0 of them from x on. */
#if defined(__ARM_FEATURE_DSP)

#define LARGER(BEST, WORD)                                                                         \
    "ssub8 %[t], %[" WORD "], %[" BEST "]\n sel %[" BEST "], %[" WORD "], %[" BEST "]\n"

static inline void larger_row(const int8_t *x, int32_t width, int32_t pitch, uint32_t best[4]) {
    const int8_t *end = x + width * pitch;
    uint32_t b0 = best[0], b1 = best[1], b2 = best[2], b3 = best[3], p, q, t;
    __asm__ volatile(
        "1:\n"
        "ldr %[p], [%[x]]\n ldr %[q], [%[x], #4]\n" LARGER(
            "b0",
            "p") "ldr %[p], [%[x], #8]\n" LARGER("b1",
                                                 "q") "ldr %[q], [%[x], #12]\n" LARGER("b2",
                                                                                       "p") "add "
                                                                                            "%[x], "
                                                                                            "%[x], "
                                                                                            "%["
                                                                                            "pitch]"
                                                                                            "\n"
                                                                                            "cmp "
                                                                                            "%[x], "
                                                                                            "%[end]"
                                                                                            "\n" LARGER(
                                                                                                "b"
                                                                                                "3",
                                                                                                "q") "bne 1b\n"
        : [x] "+r"(x), [b0] "+r"(b0), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [p] "=&r"(p),
          [q] "=&r"(q), [t] "=&r"(t)
        : [pitch] "r"(pitch), [end] "r"(end)
        : "cc", "memory");
    best[0] = b0;
    best[1] = b1;
    best[2] = b2;
    best[3] = b3;
}

#else

static inline void larger_row(const int8_t *x, int32_t width, int32_t pitch, uint32_t best[4]) {
    for (; width > 0; width--, x += pitch) {
        for (int32_t i = 0; i < 4; i++) {
            best[i] = larger_bytes(load_word(x + 4 * i), best[i]);
        }
    }
}

#endif

/* Best starts from the lower bound: a window without taps gives it. */
static inline void sixteen(const dpl_taps *taps, const int8_t *input, uint32_t low, uint32_t high,
                           int8_t *out) {
    const int32_t width = taps->x.end - taps->x.begin;
    uint32_t best[4] = {low, low, low, low};
    dpl_row_walk rows = taps->rows;
    for (int32_t y = width > 0 ? taps->y.begin : taps->y.end; y < taps->y.end; y++) {
        larger_row(input + rows.offset + taps->column, width, taps->pitch, best);
        dpl_next_row(&rows);
    }
    for (int32_t i = 0; i < 4; i++) {
        store_word(out + 4 * i, smaller_bytes(best[i], high));
    }
}

static inline void four(const dpl_taps *taps, const int8_t *input, uint32_t low, uint32_t high,
                        int8_t *out) {
    dpl_row_walk rows = taps->rows;
    uint32_t best = low;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const int8_t *x = input + rows.offset + taps->column;
        for (int32_t left = taps->x.end - taps->x.begin; left > 0; left--, x += taps->pitch) {
            best = larger_bytes(load_word(x), best);
        }
    }
    store_word(out, smaller_bytes(best, high));
}

static inline void one(const dpl_taps *taps, const int8_t *input, const dpl_requant *q,
                       int8_t *out) {
    dpl_row_walk rows = taps->rows;
    int32_t best = q->low;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const int8_t *x = input + rows.offset + taps->column;
        for (int32_t left = taps->x.end - taps->x.begin; left > 0; left--, x += taps->pitch) {
            best = *x > best ? *x : best;
        }
    }
    *out = (int8_t)(best < q->high ? best : q->high);
}

static void pixel(const dpl_pool_s8_args *a, const dpl_taps *taps, int32_t channels, int8_t *out) {
    const uint32_t low = four_times(a->requant.low), high = four_times(a->requant.high);
    const int8_t *input = a->input.data;
    int32_t c = 0;
    for (; c + LANES <= channels; c += LANES) {
        sixteen(taps, input + c, low, high, out + c);
    }
    for (; c + 4 <= channels; c += 4) {
        four(taps, input + c, low, high, out + c);
    }
    if (c < channels && channels > 4) {
        four(taps, input + channels - 4, low, high, out + channels - 4);
        return;
    }
    for (; c < channels; c++) {
        one(taps, input + c, &a->requant, out + c);
    }
}

void dpl_max_pool_s8__armv7em(const dpl_pool_s8_args *a) {
    const dpl_share rows = dpl_core_share(a->output.height);
    for (int32_t y = rows.begin; y < rows.end; y++) {
        dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, y);
        int8_t *out = dpl_row_s8(&a->output, y);
        for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
            dpl_taps_of_column(&taps, &a->input, &a->window, x);
            pixel(a, &taps, a->output.channels, out);
        }
    }
}
