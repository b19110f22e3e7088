/* Convolutions of int16 without columns: windows are read where they lie (direct_block.h), in the
 * input or, where a side cuts some or pixels fill no words, in copies of its rows. Of use where few
 * output channels share an input, as in groups: columns would cost more than their products.
 *
 * A tap's values are whole words, from the one before where a group begins at an odd channel
 * (layout "x2c4_taps_ordered"). Rows are copied into a ring with zero points at both sides. Windows
 * of an image of one column go down it as if it were a row. */
#ifndef DPL_CORTEX_M_DIRECT_S16_H
#define DPL_CORTEX_M_DIRECT_S16_H

#include "dpl/cortex_m/direct_plan.h"

static inline void put_zeros(const plan *p, element *to, int32_t pixels) {
    const uint32_t zeros = (uint16_t)p->v->input_zero * 0x10001u;
    for (int32_t n = pixels * p->pixel; n > 0; n -= 2, to += 2) {
        store_word(to, zeros);
    }
}

static inline void copy_pixel(const element *from, element *to, int32_t n) {
    for (; n >= 2; n -= 2, from += 2, to += 2) {
        store_word(to, load_word(from));
    }
    if (n > 0) {
        *to = *from;
    }
}

/* Input row y, which may lie outside, with what its windows read beside it. */
static __attribute__((noinline)) void copy_row(const plan *p, int32_t y, element *to) {
    const tensor *t = &p->v->input;
    const int32_t all = p->row / p->pixel, left = p->v->window.pads.left, pitch = t->pixel_pitch;
    const int32_t first = left < 0 ? 0 : least(left, all), last = least(t->width + left, all);
    if (y < 0 || y >= t->height || last <= first) {
        put_zeros(p, to, all);
        return;
    }
    const element *from = row_of(t, y) + (first - left) * pitch;
    put_zeros(p, to, first);
    put_zeros(p, to + last * p->pixel, all - last);
    to += first * p->pixel;
    if (pitch == p->pixel && pitch == t->channels) {
        copy_pixel(from, to, (last - first) * pitch);
        return;
    }
    for (int32_t x = first; x < last; x++, from += pitch, to += p->pixel) {
        copy_pixel(from, to, t->channels);
    }
}

/* Elements from the beginning of the ring, or of the first row of windows, to a row of theirs. */
static inline int32_t row_at(const plan *p, int32_t first, int32_t ky) {
    const int32_t down = ky * p->v->window.dilation_height;
    return p->in_place ? down * p->v->input.row_pitch : (first + down) % p->span * p->row;
}

/* Elements from there to a tap. */
static inline int32_t tap_at(const plan *p, int32_t first, int32_t ky, int32_t kx) {
    return row_at(p, first, ky) + kx * p->v->window.dilation_width * p->pixel;
}

/* Where a tap's words are. */
static inline int32_t *list_tap(const plan *p, int32_t at, int32_t words, int32_t *to) {
    if (p->job.runs) {
        *to++ = at;
        *to++ = at + 4 * words;
        return to;
    }
    for (int32_t i = 0; i < words; i++, at += 4) {
        *to++ = at;
    }
    return to;
}

/* The list of windows that begin at row `first`, counted from the top of the padding; taps in the
 * order of the weights. */
static inline void list_windows(plan *p, int32_t first) {
    const dpl_window *w = &p->v->window;
    const int32_t tall = p->turned ? w->kernel_width : w->kernel_height;
    const int32_t wide = p->turned ? w->kernel_height : w->kernel_width;
    const int32_t words = p->job.runs ? p->job.words / p->job.runs : p->words;
    const int32_t taps = words / p->words;
    int32_t *to = p->list;
    p->first = row_at(p, first, 0);
    for (int32_t y = 0; y < tall; y++) {
        for (int32_t x = 0; x < wide; x += taps) {
            const int32_t at = p->turned ? tap_at(p, first, x, y) : tap_at(p, first, y, x);
            to = list_tap(p, (at - p->first) * (int32_t)sizeof(element), words, to);
        }
    }
    const int32_t more = p->job.runs ? 2 : 1 + p->job.words - words * tall * wide;
    to[0] = 0;
    to[more - 1] = 0;
}

/* The first windows of output row y; what they read is copied to the ring where it is not yet
 * there. */
static inline const element *read_row(plan *p, int32_t y) {
    const convolution *v = p->v;
    const int32_t first = y * v->window.stride_height;
    if (p->in_place) {
        if (y == 0) {
            list_windows(p, first);
        }
        return row_of(&v->input, first) + p->first;
    }
    for (int32_t ky = 0; ky < v->window.kernel_height; ky++) {
        const int32_t row = first + ky * v->window.dilation_height, slot = row % p->span;
        if (p->tags[slot] != row) {
            p->tags[slot] = row;
            copy_row(p, row - v->window.pads.top, p->copies + slot * p->row);
        }
    }
    list_windows(p, first);
    return p->copies + p->first;
}

/* Sums to outputs by whatever rule. */
static __attribute__((noinline)) void put_sums(const plan *p, const direct_job *j, int32_t windows,
                                               int32_t channel, element *out) {
    const int32_t apart = j->apart / (int32_t)sizeof(element);
    const int32_t *sums = p->room;
    for (int32_t i = 0; i < j->blocks; i++, out += windows * apart) {
        for (int32_t n = 0; n < BLOCK_SUMS; n++) {
            const int32_t second = n / windows;
            out[n % windows * apart + second] =
                (element)dpl_requantize(p->v->requant, *sums++, channel + second);
        }
    }
}

/* So many blocks, in turns where their sums pass through the room. */
static inline void put_blocks(const plan *p, direct_job *j, int32_t blocks, int32_t channel,
                              int is_pair) {
    const int32_t windows = is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS;
    const int32_t most = j->ending == SUMS ? ROOM_BLOCKS : blocks;
    element *out = j->out;
    for (int32_t left = blocks; left > 0; left -= j->blocks) {
        j->blocks = least(left, most);
        j->out = out;
        j->sums = p->room;
        run_blocks(j, is_pair);
        if (j->ending == SUMS) {
            put_sums(p, j, windows, channel, out);
        }
        j->x += j->blocks * windows * j->step;
        out += j->blocks * windows * j->apart / (int32_t)sizeof(element);
    }
}

/* Fewer windows than a block has, one after the other. */
static inline void put_few(const plan *p, direct_job *j, int32_t count, int32_t channel,
                           int32_t channels) {
    for (int32_t i = 0; i < count; i++, j->x += j->step) {
        j->sums = p->room;
        one_window(j, channels);
        for (int32_t n = 0; j->ending == SUMS && n < channels; n++) {
            j->out[n] = (element)dpl_requantize(p->v->requant, p->room[n], channel + n);
        }
        j->out += j->apart / (int32_t)sizeof(element);
    }
}

/* Of points most windows, channel after channel: others are left, which no load of the next pair
 * goes beyond. Returns how many are left. */
static inline int32_t put_points(const plan *p, direct_job *j, int32_t count, int is_pair) {
    const int32_t pairs = (count - (is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS)) / 2;
    if (p->point == 0 || pairs < FEWEST_POINT_PAIRS) {
        return count;
    }
    const uint32_t *const w = j->piece, *const multipliers = w + PIECE_ENDS + j->words;
    point_job job = {j->x, j->out, j->step, j->apart, pairs, {0, 0, 0}, 0, 0};
    for (int32_t second = 0; second <= is_pair; second++, job.out++) {
        for (int32_t n = 0; n < p->point; n++) {
            const uint32_t word = w[PIECE_ENDS + n];
            job.w[n] = second ? odd_bytes(word) : even_bytes(word);
        }
        job.bias = (int32_t)w[second];
        job.multiplier = (int32_t)multipliers[second];
        run_points(&job, p->point, j->ending);
    }
    j->x += 2 * pairs * j->step;
    j->out += 2 * pairs * (j->apart / (int32_t)sizeof(element));
    return count - 2 * pairs;
}

/* A channel or two of a row's windows; where they are no whole blocks, the last block begins
 * earlier and writes some outputs again. */
static inline void put_windows(const plan *p, direct_job *j, int32_t count, int32_t channel,
                               int is_pair) {
    const int32_t windows = is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS;
    const int32_t apart = j->apart / (int32_t)sizeof(element), last = count - windows;
    const char *const x = j->x;
    element *const out = j->out;
    if (last < 0) {
        put_few(p, j, count, channel, is_pair ? 2 : 1);
        return;
    }
    put_blocks(p, j, count / windows, channel, is_pair);
    if (count % windows > 0) {
        j->x = x + last * j->step;
        j->out = out + last * apart;
        put_blocks(p, j, 1, channel, is_pair);
    }
}

/* All channels of `count` windows of a row, the first at x and `out`. */
static inline void put_pixels(const plan *p, const element *x, int32_t count, element *out) {
    const convolution *v = p->v;
    direct_job job = p->job;
    job.piece = v->weights;
    for (int32_t group = 0, channel = 0; group < v->groups; group++) {
        const int32_t from = group * p->depth, end = channel + p->channels;
        while (channel < end) {
            const int is_pair = channel + 1 < end;
            job.x = (const char *)(x + from - (from & 1));
            job.out = out + channel;
            put_windows(p, &job, put_points(p, &job, count, is_pair), channel, is_pair);
            job.piece += p->piece;
            channel += 1 + is_pair;
        }
    }
}

static inline void put_row(plan *p, int32_t y) {
    const convolution *v = p->v;
    const element *x = read_row(p, y);
    element *out = row_of(&v->output, v->rows.first + y * v->rows.step) +
                   v->columns.first * v->output.pixel_pitch;
    for (int32_t left = v->columns.count; left > 0; left -= DPL_DIRECT_WINDOWS) {
        put_pixels(p, x, least(left, DPL_DIRECT_WINDOWS), out);
        x += DPL_DIRECT_WINDOWS * (p->job.step / (int32_t)sizeof(element));
        out += DPL_DIRECT_WINDOWS * (p->job.apart / (int32_t)sizeof(element));
    }
}

/* Returns the weights behind its own. */
static inline const uint32_t *convolve_directly(convolution *v) {
    plan p;
    join_rows(v);
    const int turned = v->columns.count < SINGLE_WINDOWS && v->rows.count > v->columns.count;
    if (turned) {
        turn(v);
    }
    plan_direct(v, turned, &p);
    for (int32_t i = 0; !p.in_place && i < p.span; i++) {
        p.tags[i] = -1 - i; /* none: a loop of one value is a call of memset to gcc */
    }
    for (int32_t y = 0; v->columns.count > 0 && y < v->rows.count; y++) {
        put_row(&p, y);
    }
    return v->weights + v->groups * ((p.channels + 1) / 2) * p.piece;
}

#endif
