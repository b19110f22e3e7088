/* MaxPool: four taps of four channels at a time, further taps with what the output has by then.
 *
 * Cores share the pixels, or the channels where pixels are few. */
#include "dpl/pool.h"

#include "dpl/cores.h"
#include "dpl/pulp/bytes.h"
#include "dpl/pulp/max.h"
#include "dpl/pulp/pixels.h"
#include "dpl/window.h"

typedef dpl_pool_s8_args args;

/* Taps inside the window of a pixel, one after the other. */
typedef struct {
    dpl_row_walk rows;
    const int8_t *row, *next;
    int32_t width, left, count;
} walk;

static walk walk_of(const dpl_taps *taps, const int8_t *input) {
    walk w = {.rows = taps->rows, .row = input + taps->column, .count = dpl_taps_count(taps)};
    w.width = w.left = taps->x.end - taps->x.begin;
    w.next = w.row + w.rows.offset;
    return w;
}

static const int8_t *next_tap(walk *w, int32_t pitch) {
    const int8_t *tap = w->next;
    w->next += pitch;
    w->count--;
    if (--w->left == 0) {
        dpl_next_row(&w->rows);
        w->next = w->row + w->rows.offset;
        w->left = w->width;
    }
    return tap;
}

/* Pixels from p on in its row whose windows are two by two taps, or 0. */
static int32_t squares(const args *a, const dpl_taps *taps, const dpl_pixels *p) {
    const int32_t stride = a->window.stride_width, reach = a->window.dilation_width;
    const int32_t first = p->x * stride - a->window.pads.left;
    int words = ((p->channels.end - p->channels.begin) & 3) == 0;
    if (!words || a->window.kernel_width != 2 || taps->y.end - taps->y.begin != 2 || first < 0 ||
        first + reach >= a->input.width) {
        return 0;
    }
    int32_t count = (a->input.width - 1 - reach - first) / stride + 1;
    int32_t left = a->output.width - p->x < p->left ? a->output.width - p->x : p->left;
    return count < left ? count : left;
}

static void by_squares(const args *a, dpl_max_run *r, const dpl_taps *taps, const dpl_pixels *p,
                       int8_t *out, int32_t count) {
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const int32_t first = (p->x * a->window.stride_width - a->window.pads.left);
    const int32_t column = first * a->input.pixel_pitch + p->channels.begin;
    dpl_row_walk rows = taps->rows;
    const int8_t *above = a->input.data + rows.offset + column;
    dpl_next_row(&rows);
    const int8_t *below = a->input.data + rows.offset + column;
    r->words = (p->channels.end - p->channels.begin) >> 2;
    r->out = out + p->channels.begin;
    for (; count > 0; count--, above += step, below += step, r->out += a->output.pixel_pitch) {
        r->taps[0] = above;
        r->taps[1] = above + taps->pitch;
        r->taps[2] = below;
        r->taps[3] = below + taps->pitch;
        dpl_max_words(r);
    }
}

/* Whole words of channels. Missing taps are the first again. */
static void by_words(dpl_max_run *r, const dpl_taps *taps, const int8_t *input, int8_t *out) {
    walk w = walk_of(taps, input);
    r->out = out;
    for (const int8_t *first = next_tap(&w, taps->pitch); first; first = w.count > 0 ? out : 0) {
        r->taps[0] = first;
        for (int32_t i = 1; i < DPL_MAX_TAPS; i++) {
            r->taps[i] = w.count > 0 ? next_tap(&w, taps->pitch) : first;
        }
        dpl_max_words(r);
    }
}

static int8_t channel(const args *a, const dpl_taps *taps, const int8_t *input) {
    int32_t best = INT8_MIN;
    walk w = walk_of(taps, input);
    while (w.count > 0) {
        int32_t value = *next_tap(&w, taps->pitch);
        best = value > best ? value : best;
    }
    return (int8_t)dpl_clamp(best, a->requant.low, a->requant.high);
}

static void pixel(const args *a, dpl_max_run *r, const dpl_taps *taps, dpl_share channels,
                  int8_t *out) {
    int32_t c = channels.begin;
    r->words = (channels.end - c) >> 2;
    if (r->words > 0 && dpl_taps_count(taps) > 0) {
        by_words(r, taps, a->input.data + c, out + c);
        c += 4 * r->words;
    }
    for (; c < channels.end; c++) {
        out[c] = channel(a, taps, a->input.data + c);
    }
}

/* Pixels from p on, all in its row; how many. */
static int32_t pixels(const args *a, dpl_max_run *r, dpl_taps *taps, const dpl_pixels *p,
                      int8_t *out) {
    const int32_t count = squares(a, taps, p);
    if (count > 0) {
        by_squares(a, r, taps, p, out, count);
        return count;
    }
    dpl_taps_of_column(taps, &a->input, &a->window, p->x);
    pixel(a, r, taps, p->channels, out);
    return 1;
}

void dpl_max_pool_s8__xpulpv2(const dpl_pool_s8_args *a) {
    dpl_max_run r = {.low = dpl_bytes_of(a->requant.low), .high = dpl_bytes_of(a->requant.high)};
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, p.y);
        int32_t done = pixels(a, &r, &taps, &p, dpl_pixels_out(&p, &a->output));
        dpl_pixels_next(&p, &a->output, done);
    }
}
