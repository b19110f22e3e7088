/* AveragePool over the whole plane, int8: all pixels are rows of one column. */
#include "dpl/body/s8.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/blocking.h"
#include "dpl/cortex_m/four_means.h"
#include "dpl/cortex_m/sum_rows_s8.h"
#include "dpl/pool.h"

enum { MOST_CHANNELS = DPL_POOL_STRIP / 2 };

static folded sum_of_channel(const dpl_taps *taps, const int8_t *from) {
    dpl_row_walk rows = taps->rows;
    int32_t sum = 0;
    for (int32_t y = taps->y.begin; y < taps->y.end; y++, dpl_next_row(&rows)) {
        const int8_t *x = from + rows.offset;
        for (int32_t t = taps->x.begin; t < taps->x.end; t++, x += taps->pitch) {
            sum += *x;
        }
    }
    return (folded)sum;
}

/* The plane's rows follow one another, but for those of tiles. */
static void sum_plane(const dpl_pool_s8_args *a, int32_t channel, folded *sums, int32_t count) {
    const dpl_tensor_s8 *in = &a->input;
    dpl_taps taps = dpl_taps_of_row(in, &a->window, 0);
    dpl_taps_of_column(&taps, in, &a->window, 0);
    if (in->ring_height == 0 && in->row_pitch == in->width * in->pixel_pitch) {
        const row_stack pixels = {in->pixel_pitch, dpl_taps_count(&taps)};
        sum_run(in->data + channel, &pixels, sums, count);
        return;
    }
    for (int32_t c = 0; c < count; c++) {
        sums[c] = sum_of_channel(&taps, in->data + channel + c);
    }
}

static void write_means(const dpl_pool_s8_args *a, const folded *sums, int8_t *to, int32_t count) {
    const dpl_requant *q = &a->requant;
    const int32_t taps = a->window.kernel_height * a->window.kernel_width;
    const int affine = q->rule == DPL_I32 || q->rule == DPL_SHIFT;
    if (affine && q->low == LOWEST && q->high == HIGHEST) {
        const mean m = mean_of(q, taps, 1, 0);
        all_means_of_one(&m, sums, to, count);
        return;
    }
    for (int32_t c = 0; c < count; c++) {
        to[c] = (int8_t)dpl_requantize_mean(q, sums[c], taps - 1);
    }
}

void dpl_average_pool_s8__armv7em_whole(const dpl_pool_s8_args *a) {
    const int32_t channels = a->output.channels;
    const int32_t count = channels < MOST_CHANNELS ? channels : MOST_CHANNELS;
    if (dpl_core_id() > 0) {
        return;
    }
    for (int32_t left = channels; left > 0; left -= count) {
        const int32_t c = left < count ? 0 : left - count; /* what is computed twice is the same */
        sum_plane(a, c, a->scratch, count);
        write_means(a, a->scratch, dpl_row_s8(&a->output, 0) + c, count);
    }
}
