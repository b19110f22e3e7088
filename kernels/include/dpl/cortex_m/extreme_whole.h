/* Maximum and minimum pools over whole planes: a body. A file has `args`, KERNEL and what extreme.h
 * needs.
 *
 * Pixels that follow one another are runs of several, folded into the first of them four words at a
 * time. So many pixels fill words that runs begin at words. At last the run is folded with itself.
 */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/extreme.h"
#include "dpl/cortex_m/run.h"

/* Pixels of a run, of a plane or, where rows lie apart, of a row of so many. */
static int32_t pixels_of_run(const args *a, int32_t most) {
    const int32_t bytes = a->input.channels * (int32_t)sizeof(element);
    const int32_t few = (DPL_POOL_RUN_BYTES + bytes - 1) / bytes, words = (few + 3) & -4;
    const int32_t pixels = bytes % 4 == 0 ? few : words;
    return a->input.pixel_pitch > a->input.channels ? 1 : pixels < most ? pixels : most;
}

enum { FOUR_WORDS = 16 / sizeof(element) };

/* Four words of a run, `begin`, and of `rows` > 0 more, so many elements apart: 9 cycles each, of
 * which every one but the first has a DSP instruction as the older of its pair. */
static inline void fold_four_words(const element *begin, element *run, const element *from,
                                   int32_t pitch, int32_t rows) {
#if defined(__ARM_FEATURE_DSP)
    uint32_t a, b, c, d, p, q, t;
    __asm__ volatile(
        "ldr %[a], [%[begin]]\n ldr %[b], [%[begin], #4]\n"
        "ldr %[c], [%[begin], #8]\n ldr %[d], [%[begin], #12]\n"
        "1:\n ldr %[p], [%[from]]\n ldr %[q], [%[from], #4]\n" DIFFERENCE
        " %[t], %[a], %[p]\n subs %[rows], %[rows], #1\n" TAKE(
            "a", "p") "ldr %[p], [%[from], #8]\n" DIFFERENCE
                      " %[t], %[b], %[q]\n" TAKE(
                          "b", "q") "ldr %[q], [%[from], #12]\n" DIFFERENCE
                                    " %[t], %[c], %[p]\n add %[from], %[from], %[pitch]\n" TAKE(
                                        "c", "p") DIFFERENCE
        " %[t], %[d], %[q]\n" TAKE("d", "q") "bne 1b\n"
                                             "str %[a], [%[run]]\n str %[b], [%[run], #4]\n"
                                             "str %[c], [%[run], #8]\n str %[d], [%[run], #12]\n"
        : [from] "+r"(from), [rows] "+r"(rows), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
          [d] "=&r"(d), [p] "=&r"(p), [q] "=&r"(q), [t] "=&r"(t)
        : [begin] "r"(begin), [run] "r"(run), [pitch] "r"(pitch * (int32_t)sizeof(element))
        : "cc", "memory");
#else
    for (; rows > 0; rows--, from += pitch, begin = run) {
        extreme_lines(begin, from, run, 2);
    }
#endif
}

/* Runs of `length` elements that begin at words, of at least four words; the last four words are
 * those over the ones before, which takes nothing away. */
static void fold_down(const element *begin, element *run, const element *from, int32_t length,
                      int32_t rows) {
    for (int32_t at = 0; at + FOUR_WORDS <= length; at += FOUR_WORDS) {
        fold_four_words(begin + at, run + at, from + at, length, rows);
    }
    if (length % FOUR_WORDS > 0) {
        const int32_t last = length - FOUR_WORDS;
        fold_four_words(begin + last, run + last, from + last, length, rows);
    }
}

/* `count` pixels that follow one another, of which the first `done` runs begin what is in `run`;
 * the last run is one over those before. */
static void fold_pixels(const args *a, const element *from, int32_t count, element *run,
                        int32_t pixels, int32_t done) {
    const int32_t pitch = pixels * a->input.pixel_pitch, length = pixels * a->input.channels;
    const run_shape runs = {0, pitch, 0, length, count / pixels - done};
    const element *more = from + done * pitch;
    const int words = (((uintptr_t)from | (uintptr_t)run | (pitch * sizeof *from)) & 3) == 0;
    if (words && pitch == length && length >= FOUR_WORDS && runs.rows > 0) {
        fold_down(done > 0 ? from : run, run, more, length, runs.rows);
    } else {
        if (done > 0) {
            copy_run(run, from, length);
        }
        extreme_rows(run, more, run, &runs);
    }
    if (count % pixels > 0) {
        extreme_run(run, from + (count - pixels) * a->input.pixel_pitch, run, length);
    }
}

static void fold_run(element *run, int32_t pixels, int32_t channels) {
    for (int32_t half; pixels > 1; pixels = half) {
        half = (pixels + 1) / 2;
        extreme_run(run, run + (pixels - half) * channels, run, half * channels);
    }
}

void KERNEL(const args *a) {
    const dpl_tensor_s8 in = shape_of(&a->input);
    const int together = in.ring_height == 0 && in.row_pitch == in.width * in.pixel_pitch;
    const int32_t rows = together ? 1 : in.height, count = in.height * in.width / rows;
    const int32_t pixels = pixels_of_run(a, count);
    element *run = a->scratch, *to = row_of(&a->output, 0);
    if (dpl_core_id() > 0) {
        return;
    }
    for (int32_t y = 0; y < rows; y++) {
        fold_pixels(a, row_of(&a->input, y), count, run, pixels, y == 0);
    }
    fold_run(run, pixels, in.channels);
    copy_run(to, run, in.channels);
    if (a->requant.low != LOWEST || a->requant.high != HIGHEST) {
        for (int32_t c = 0; c < in.channels; c++) {
            to[c] = (element)dpl_clamp(to[c], a->requant.low, a->requant.high);
        }
    }
}
