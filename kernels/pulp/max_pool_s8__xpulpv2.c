/* MaxPool: windows beside one another in a row, four channels at a time; squares of two taps by a
 * loop of their own, threes two columns apart by one that has a column in common.
 *
 * Cores share the pixels, or the channels where pixels are few. */
#include "dpl/pool.h"

#include "dpl/cores.h"
#include "dpl/pulp/max.h"
#include "dpl/pulp/pool_run.h"

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

/* Whether the pixels have windows of size by size taps, but for rows that a side cuts, and no
 * channels beside whole words. */
static int are_square(const args *a, const dpl_pixels *p, int32_t size) {
    int words = ((p->channels.end - p->channels.begin) & 3) == 0;
    return words && a->window.kernel_width == size && a->window.kernel_height == size;
}

static void by_squares(const args *a, const dpl_taps *taps, const dpl_pixels *p, int8_t *out,
                       int32_t count) {
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    const int32_t column = taps->column + p->channels.begin;
    dpl_row_walk rows = taps->rows;
    const int8_t *above = a->input.data + rows.offset + column;
    dpl_next_row(&rows);
    const int8_t *below = a->input.data + rows.offset + column;
    dpl_max_run r = {.low = dpl_bytes_of(a->requant.low), .high = dpl_bytes_of(a->requant.high)};
    r.words = (p->channels.end - p->channels.begin) >> 2;
    r.out = out + p->channels.begin;
    for (; count > 0; count--, above += step, below += step, r.out += a->output.pixel_pitch) {
        r.taps[0] = above;
        r.taps[1] = above + taps->pitch;
        r.taps[2] = below;
        r.taps[3] = below + taps->pitch;
        dpl_max_words(&r);
    }
}

/* Words of channels from `begin` on. */
static void some_threes(dpl_max_threes r, int32_t begin, int32_t words) {
    if (words > 0) {
        r.rows[0] += 4 * begin;
        r.rows[1] += 4 * begin;
        r.rows[2] += 4 * begin;
        r.out += 4 * begin;
        r.words = words;
        dpl_max_three(&r);
    }
}

/* Rows that a side cuts are other ones once more. Cores begin with different channels, since taps
 * of one channel often lie in one bank. */
static void by_threes(const args *a, const dpl_taps *taps, const dpl_pixels *p, int8_t *out,
                      int32_t count) {
    dpl_row_walk rows = taps->rows;
    dpl_max_threes r = {.pitch = taps->pitch, .pixels = count};
    const int8_t *first = a->input.data + taps->column + p->channels.begin;
    for (int32_t i = 0; i < 3; i++) {
        r.rows[i] = first + rows.offset;
        if (i < taps->y.end - taps->y.begin - 1) {
            dpl_next_row(&rows);
        }
    }
    const int32_t words = (p->channels.end - p->channels.begin) >> 2;
    const int32_t begin = dpl_core_share(words).begin;
    r.out = out + p->channels.begin;
    r.out_pitch = a->output.pixel_pitch;
    r.low = dpl_bytes_of(a->requant.low);
    r.high = dpl_bytes_of(a->requant.high);
    some_threes(r, begin, words - begin);
    some_threes(r, 0, begin);
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

/* The channels of a pixel from c on, one by one. */
static void channels(const args *a, const dpl_taps *taps, int32_t c, int32_t end, int8_t *out) {
    for (; c < end; c++) {
        out[c] = channel(a, taps, a->input.data + c);
    }
}

/* Pixels whose windows have the same taps in all rows. */
static void run(const args *a, dpl_taps *taps, const dpl_pixels *p, int8_t *out, int32_t count) {
    int32_t first = 0;
    if (dpl_taps_count(taps) > 0 && dpl_rows_follow(taps)) {
        dpl_pool_run r = dpl_pool_run_of(a, taps, p, count);
        first = dpl_pool_in_words(&r, a, p, dpl_max_windows);
    }
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    taps->column += first * step;
    out += first * a->output.pixel_pitch;
    for (int32_t i = first; i < count; i++) {
        channels(a, taps, p->channels.begin, p->channels.end, out);
        taps->column += step;
        out += a->output.pixel_pitch;
    }
}

/* Pixels from p on, all in its row; how many. */
static int32_t pixels(const args *a, dpl_taps *taps, const dpl_pixels *p) {
    const int32_t interior = dpl_interior_windows(a, p), rows = taps->y.end - taps->y.begin;
    const int32_t count = dpl_run_pixels(a, p, taps);
    int8_t *out = dpl_pixels_out(p, &a->output);
    if (interior > 0 && rows == 2 && are_square(a, p, 2)) {
        by_squares(a, taps, p, out, count);
    } else if (interior > 0 && rows > 0 && are_square(a, p, 3) && a->window.stride_width == 2 &&
               a->window.dilation_width == 1) {
        by_threes(a, taps, p, out, count);
    } else {
        run(a, taps, p, out, count);
    }
    return count;
}

void dpl_max_pool_s8__xpulpv2(const dpl_pool_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        dpl_taps taps = dpl_taps_of_row(&a->input, &a->window, p.y);
        dpl_pixels_next(&p, &a->output, pixels(a, &taps, &p));
    }
}
