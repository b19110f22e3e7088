/* AveragePool over the whole plane: a body. A file has `args`, KERNEL, `folded`, `sum_run` and
 * `fours_of` of its type, and GROUP, sums that are made at once.
 *
 * All pixels are rows of one column. Of few channels, or of some that leave much of a group,
 * several pixels are a row, so that groups are full and rows begin at words; their sums are added
 * at last. */
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/means.h"

enum { MOST_CHANNELS = DPL_POOL_STRIP / 2, MOST_JOINED = DPL_POOL_JOINED_GROUPS };

static inline int32_t least(int32_t x, int32_t y) {
    return x < y ? x : y;
}

static folded sum_of_channel(const dpl_taps *taps, const element *from) {
    dpl_row_walk rows = taps->rows;
    int32_t sum = 0;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const element *x = from + rows.offset;
        for (int32_t t = taps->x.begin; t < taps->x.end; t++, x += taps->pitch) {
            sum += *x;
        }
    }
    return (folded)sum;
}

/* Pixels that fill groups. */
static inline int32_t full_pixels(int32_t channels) {
    int32_t full = 1;
    while (full * channels % GROUP > 0) {
        full *= 2;
    }
    return full;
}

/* Whether several pixels are a row. */
static inline int joins_pixels(int32_t channels, int32_t pixels) {
    const int over = channels % GROUP > 0 && channels < MOST_JOINED * GROUP;
    return channels < GROUP || (over && 4 * full_pixels(channels) <= pixels);
}

/* Pixels of a row of sums: as many as fill groups, or of small planes as fill one and end at a
 * word. */
static int32_t pixels_of_row(int32_t channels, int32_t pixels) {
    enum { WORD = 4 / sizeof(element) };
    int32_t few = (GROUP + channels - 1) / channels, full = full_pixels(channels);
    few = channels % WORD == 0 ? few : (few + WORD - 1) & -WORD;
    few = 4 * full <= pixels ? full : few;
    return least(few, pixels);
}

/* Sums of few channels: of several pixels each, then of all. */
static void sum_pixels(const args *a, int32_t count, folded *sums) {
    const int32_t channels = a->input.channels, pixels = pixels_of_row(channels, count);
    const row_stack rows = {pixels * channels, count / pixels};
    const element *rest = a->input.data + rows.count * rows.step;
    sum_run(a->input.data, &rows, sums, rows.step);
    for (int32_t c = 0; c < channels; c++) {
        int32_t sum = 0;
        for (int32_t i = c; i < rows.step; i += channels) {
            sum += sums[i];
        }
        for (int32_t i = c; i < count % pixels * channels; i += channels) {
            sum += rest[i];
        }
        sums[c] = (folded)sum;
    }
}

/* Channels of a plane whose rows do not follow one another, as those of tiles. */
static __attribute__((noinline)) void sum_channels(const args *a, const element *from, folded *sums,
                                                   int32_t count) {
    dpl_taps taps = taps_of_row(&a->input, &a->window, 0);
    taps_of_column(&taps, &a->input, &a->window, 0);
    for (int32_t c = 0; c < count; c++) {
        sums[c] = sum_of_channel(&taps, from + c);
    }
}

static void sum_plane(const args *a, int32_t channel, folded *sums, int32_t count) {
    const tensor *in = &a->input;
    const dpl_window *w = &a->window;
    const row_stack pixels = {in->pixel_pitch, w->kernel_height * w->kernel_width};
    if (!DPL_ROWS_FOLLOW(in, in->width * in->pixel_pitch)) {
        sum_channels(a, in->data + channel, sums, count);
    } else if (in->pixel_pitch == in->channels && joins_pixels(in->channels, pixels.count)) {
        sum_pixels(a, pixels.count, sums);
    } else {
        sum_run(in->data + channel, &pixels, sums, count);
    }
}

void KERNEL(const args *a) {
    const int32_t channels = a->output.channels;
    const int32_t count = least(channels, MOST_CHANNELS);
    const mean m = mean_of(&a->requant, a->window.kernel_height * a->window.kernel_width, 1, 0);
    if (dpl_core_id() > 0) {
        return;
    }
    for (int32_t left = channels; left > 0; left -= count) {
        const int32_t c = left < count ? 0 : left - count; /* what is computed twice is the same */
        sum_plane(a, c, a->scratch, count);
        const mean_run run = {a->scratch, row_of(&a->output, 0) + c, 1, 1, count};
        means_of_run(&m, &run);
    }
}
