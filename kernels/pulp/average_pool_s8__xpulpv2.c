/* AveragePool: windows beside one another in a row, four channels at a time, where 32-bit products
 * requantize and the rows of a window lie one after the other, one by one where there are fewer;
 * else sums of four channels.
 *
 * Cores share the pixels, or the channels where pixels are few. */
#include "dpl/pool.h"

#include "dpl/cores.h"
#include "dpl/mean.h"
#include "dpl/pulp/blocking.h"
#include "dpl/pulp/pool_run.h"
#include "dpl/pulp/sum.h"

enum { FOUR = DPL_GROUP_CHANNELS };

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

/* The channels of a pixel from c on. */
static void channels(const args *a, const dpl_taps *taps, int32_t c, int32_t end, int8_t *out) {
    const int32_t entry = dpl_taps_count(taps) - 1;
    for (; c + FOUR <= end; c += FOUR) {
        int32_t sums[FOUR] = {0, 0, 0, 0};
        sum_four(taps, a->input.data + c, sums);
        for (int32_t i = 0; i < FOUR; i++) {
            out[c + i] = (int8_t)dpl_requantize_mean(&a->requant, sums[i], entry);
        }
    }
    for (; c < end; c++) {
        int32_t sum = sum_channel(taps, a->input.data + c);
        out[c] = (int8_t)dpl_requantize_mean(&a->requant, sum, entry);
    }
}

/* What 32-bit products requantize by is read once: it may lie in L2. */
static void requantize_by(const dpl_requant *q, int32_t entry, dpl_pool_run *r) {
    const int32_t i = entry * q->channel_step;
    r->multiplier = q->rule == DPL_I32 ? q->multiplier[i] : 1;
    r->rounding = q->rounding[i];
    r->shift = q->shift[i];
}

static void in_run(const args *a, dpl_taps *taps, const dpl_pixels *p, int32_t count) {
    dpl_pool_run r = dpl_pool_run_of(a, taps, p, count);
    requantize_by(&a->requant, dpl_taps_count(taps) - 1, &r);
    const int32_t done = dpl_pool_in_words(&r, a, p, dpl_average_windows);
    int8_t *out = dpl_pixels_out(p, &a->output) + done * a->output.pixel_pitch;
    taps->column += done * r.step;
    for (; count > done; count--, taps->column += r.step, out += a->output.pixel_pitch) {
        for (int32_t c = p->channels.begin; c < p->channels.end; c++) {
            const int32_t sum = sum_channel(taps, a->input.data + c);
            const int32_t mean = (sum * r.multiplier + r.rounding) >> r.shift;
            out[c] = (int8_t)dpl_clamp(mean, a->requant.low, a->requant.high);
        }
    }
}

/* Pixels from p on, all in its row, whose windows have the same number of taps; how many. */
static int32_t pixels(const args *a, dpl_taps *taps, const dpl_pixels *p) {
    const int32_t count = dpl_run_pixels(a, p, taps);
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const int fast = a->requant.rule == DPL_I32 || a->requant.rule == DPL_SHIFT;
    if (fast && dpl_rows_follow(taps)) {
        in_run(a, taps, p, count);
        return count;
    }
    int8_t *out = dpl_pixels_out(p, &a->output);
    for (int32_t i = 0; i < count; i++) {
        channels(a, taps, p->channels.begin, p->channels.end, out);
        taps->column += step;
        out += a->output.pixel_pitch;
    }
    return count;
}

void dpl_average_pool_s8__xpulpv2(const dpl_pool_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, p.y);
        dpl_pixels_next(&p, &a->output, pixels(a, &taps, &p));
    }
}
