/* AveragePool: the taps of four channels at a time, a row of the window in one run, or all of it
 * where the rows follow one another.
 *
 * Cores share the pixels, or the channels where pixels are few. */
#include "dpl/pool.h"

#include "dpl/cores.h"
#include "dpl/pulp/pixels.h"
#include "dpl/pulp/sum.h"
#include "dpl/window.h"

enum { FOUR = 4 };

typedef dpl_pool_s8_args args;

static void sum_four(const dpl_taps *taps, const int8_t *input, int32_t *sums) {
    const int32_t width = taps->x.end - taps->x.begin, height = taps->y.end - taps->y.begin;
    dpl_row_walk rows = taps->rows;
    if (rows.step == width * taps->pitch && rows.wrap == INT32_MAX) {
        dpl_sum_run(input + rows.offset + taps->column, taps->pitch, width * height, sums);
        return;
    }
    for (int32_t y = 0; y < height; y++, dpl_next_row(&rows)) {
        dpl_sum_run(input + rows.offset + taps->column, taps->pitch, width, sums);
    }
}

static int32_t sum_channel(const dpl_taps *taps, const int8_t *input) {
    int32_t sum = 0;
    dpl_row_walk rows = taps->rows;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const int8_t *x = input + rows.offset + taps->column;
        for (int32_t left = taps->x.end - taps->x.begin; left > 0; left--, x += taps->pitch) {
            sum += *x;
        }
    }
    return sum;
}

static void pixel(const args *a, const dpl_taps *taps, dpl_share channels, int8_t *out) {
    const int32_t entry = dpl_taps_count(taps) - 1;
    int32_t c = channels.begin;
    for (; c + FOUR <= channels.end; c += FOUR) {
        int32_t sums[FOUR] = {0, 0, 0, 0};
        sum_four(taps, a->input.data + c, sums);
        for (int32_t i = 0; i < FOUR; i++) {
            out[c + i] = (int8_t)dpl_requantize(&a->requant, sums[i], entry);
        }
    }
    for (; c < channels.end; c++) {
        int32_t sum = sum_channel(taps, a->input.data + c);
        out[c] = (int8_t)dpl_requantize(&a->requant, sum, entry);
    }
}

void dpl_average_pool_s8__xpulpv2(const dpl_pool_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    for (; p.left > 0; dpl_pixels_next(&p, &a->output, 1)) {
        dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, p.y);
        dpl_taps_of_column(&taps, &a->input, &a->window, p.x);
        pixel(a, &taps, p.channels, dpl_pixels_out(&p, &a->output));
    }
}
