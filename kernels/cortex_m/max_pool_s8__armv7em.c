/* MaxPool, int8: ssub8 and sel take the larger of four bytes, sixteen channels in registers.
 *
 * A tap of sixteen channels is 15 instructions, 9 cycles (pipeline model of the Cortex-M7). The
 * last channels of a pixel are a word over those before. */
#include "dpl/cores.h"
#include "dpl/cortex_m/bytes.h"
#include "dpl/pool.h"
#include "dpl/window.h"

enum { LANES = 16 };

/* `groups` > 0 times sixteen channels of a window of `rows` > 0 rows, `step` apart, of `bytes` > 0
 * each, with a tap every `pitch`. */
typedef struct {
    int32_t rows, step, bytes, pitch;
    uint32_t low, high;
} window_job;

#if defined(__ARM_FEATURE_DSP)

#define LOAD(WORD, AT) "ldr %[" WORD "], [%[x], #" AT "]\n"
#define LARGER(BEST, WORD)                                                                         \
    "ssub8 %[t], %[" WORD "], %[" BEST "]\n sel %[" BEST "], %[" WORD "], %[" BEST "]\n"
#define SMALLER(BEST, AT)                                                                          \
    "ssub8 %[t], %[q], %[" BEST "]\n sel %[" BEST "], %[" BEST "], %[q]\n"                         \
    "str %[" BEST "], [%[p], #" AT "]\n"
#define BEGIN_WINDOW                                                                               \
    "3: ldr %[b0], %[low]\n ldr %[rows], %[all]\n"                                                 \
    "ldr %[x], %[input]\n mov %[b1], %[b0]\n"                                                      \
    "mov %[b2], %[b0]\n mov %[b3], %[b0]\n"
#define BEGIN_ROW                                                                                  \
    "2: ldr %[end], %[bytes]\n"                                                                    \
    "add %[end], %[end], %[x]\n"
#define NEXT_TAP "add %[x], %[x], %[pitch]\n cmp %[x], %[end]\n"
#define TAP                                                                                        \
    LOAD("p", "0")                                                                                 \
    LOAD("q", "4")                                                                                 \
    LARGER("b0", "p")                                                                              \
    LOAD("p", "8")                                                                                 \
    LARGER("b1", "q")                                                                              \
    LOAD("q", "12")                                                                                \
    LARGER("b2", "p")                                                                              \
    NEXT_TAP                                                                                       \
    LARGER("b3", "q")
#define END_ROW                                                                                    \
    "ldr %[q], %[gap]\n subs %[rows], %[rows], #1\n"                                               \
    "add %[x], %[x], %[q]\n bne 2b\n"
#define END_WINDOW                                                                                 \
    "ldr %[p], %[out]\n ldr %[q], %[high]\n"                                                       \
    "ldr %[x], %[input]\n ldr %[rows], %[groups]\n"                                                \
    "add %[x], %[x], #16\n str %[x], %[input]\n"
#define OUTPUTS SMALLER("b0", "0") SMALLER("b1", "4") SMALLER("b2", "8") SMALLER("b3", "12")
#define NEXT_WINDOW                                                                                \
    "add %[p], %[p], #16\n str %[p], %[out]\n"                                                     \
    "subs %[rows], %[rows], #1\n str %[rows], %[groups]\n bne 3b\n"

static __attribute__((noinline)) void sixteens(const window_job *j, const int8_t *input,
                                               int8_t *out, int32_t groups) {
    const int32_t pitch = j->pitch, bytes = j->bytes, gap = j->step - bytes, all = j->rows;
    const uint32_t low = j->low, high = j->high;
    uint32_t b0, b1, b2, b3, p, q, t;
    const int8_t *x, *end;
    int32_t rows;
    __asm__ volatile(
        BEGIN_WINDOW BEGIN_ROW "1:\n" TAP "bne 1b\n" END_ROW END_WINDOW OUTPUTS NEXT_WINDOW
        : [x] "=&r"(x), [b0] "=&r"(b0), [b1] "=&r"(b1), [b2] "=&r"(b2), [b3] "=&r"(b3),
          [p] "=&r"(p), [q] "=&r"(q), [t] "=&r"(t), [end] "=&r"(end), [rows] "=&r"(rows),
          [input] "+m"(input), [out] "+m"(out), [groups] "+m"(groups)
        : [pitch] "r"(pitch), [bytes] "m"(bytes), [gap] "m"(gap), [all] "m"(all), [low] "m"(low),
          [high] "m"(high)
        : "cc", "memory");
}

#else

static void sixteens(const window_job *j, const int8_t *input, int8_t *out, int32_t groups) {
    for (int32_t c = 0; c < 16 * groups; c += 4) {
        uint32_t best = j->low;
        for (int32_t y = 0; y < j->rows; y++) {
            for (int32_t x = 0; x < j->bytes; x += j->pitch) {
                best = larger_bytes(load_word(input + c + y * j->step + x), best);
            }
        }
        store_word(out + c, smaller_bytes(best, j->high));
    }
}

#endif

static void four(const dpl_taps *taps, const int8_t *input, uint32_t low, uint32_t high,
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

static void one(const dpl_taps *taps, const int8_t *input, const dpl_requant *q, int8_t *out) {
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

/* Whether the taps are evenly spaced rows: those of a ring may wrap around. */
static int even_rows(const dpl_taps *taps) {
    const int32_t last = taps->rows.offset + (taps->y.end - taps->y.begin - 1) * taps->rows.step;
    return dpl_taps_count(taps) > 0 && last < taps->rows.wrap;
}

static void pixel(const dpl_pool_s8_args *a, const dpl_taps *taps, int8_t *out) {
    const uint32_t low = four_times(a->requant.low), high = four_times(a->requant.high);
    const int32_t channels = a->output.channels;
    const int8_t *input = a->input.data;
    int32_t c = 0;
    if (channels >= LANES && even_rows(taps)) {
        const window_job job = {taps->y.end - taps->y.begin,
                                taps->rows.step,
                                (taps->x.end - taps->x.begin) * taps->pitch,
                                taps->pitch,
                                low,
                                high};
        sixteens(&job, input + taps->rows.offset + taps->column, out, channels / LANES);
        c = channels / LANES * LANES;
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
            pixel(a, &taps, out);
        }
    }
}
