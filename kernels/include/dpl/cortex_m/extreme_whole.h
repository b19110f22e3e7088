/* Maximum and minimum pools over whole planes: a body. A file has `args`, KERNEL and what extreme.h
 * needs.
 *
 * Pixels that follow one another are runs of several, folded into the first of them. So many pixels
 * fill words that runs begin at words. At last the run is folded with itself. */
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

/* `count` pixels that follow one another, of which the first `done` runs are in `run`; the last run
 * is one over those before. */
static void fold_pixels(const args *a, const element *from, int32_t count, element *run,
                        int32_t pixels, int32_t done) {
    const int32_t pitch = pixels * a->input.pixel_pitch, length = pixels * a->input.channels;
    const run_shape runs = {0, pitch, 0, length, count / pixels - done};
    extreme_rows(run, from + done * pitch, run, &runs);
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
    copy_run(run, row_of(&a->input, 0), pixels * in.channels);
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
