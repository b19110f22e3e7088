/* Convolutions without columns: windows of int16 are read where they lie (direct_block.h), in the
 * input or, where a side cuts some, pixels fill no words or values are bytes, in copies of its
 * rows. Of use where few output channels share an input, as in groups: columns would cost more than
 * their products. Included behind direct_s8.h or direct_s16.h, which say how a pixel is copied.
 *
 * A tap's values are whole words, from the one before where a group begins at an odd channel
 * (layout "x2c4_taps_ordered"). Rows are copied into a ring with zero points at both sides. Windows
 * of a narrow image go down it as if columns were rows. */
#ifndef DPL_CORTEX_M_DIRECT_H
#define DPL_CORTEX_M_DIRECT_H

#include "dpl/cortex_m/direct_copies.h"

/* Elements from the beginning of the ring, or of the first row of windows, to a row of theirs. */
static inline int32_t row_at(const plan *p, int32_t first, int32_t ky) {
    const int32_t down = ky * p->v->window.dilation_height;
    return p->reads == INPUT ? down * p->v->input.row_pitch : (first + down) % p->span * p->row;
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
            to = list_tap(p, (at - p->first) * (int32_t)sizeof(int16_t), words, to);
        }
    }
    const int32_t more = p->job.runs ? 2 : 1 + p->job.words - words * tall * wide;
    to[0] = 0;
    to[more - 1] = 0;
}

/* Whether row y of windows is read where it lies: no copies of any, or none of this one's rows. */
static inline int is_read_in_place(const plan *p, int32_t y) {
    const convolution *v = p->v;
    const int32_t top = y * v->window.stride_height - v->window.pads.top;
    return p->in_place || (p->rows_in_place && top >= 0 && top + p->span <= v->input.height);
}

/* The first windows of output row y in the input, whose list is that of the row before. */
static inline const int16_t *row_in_place(plan *p, int32_t first) {
    if (p->reads != INPUT) {
        p->reads = INPUT;
        list_windows(p, first);
    }
    return halves_at(&p->v->input, first - p->v->window.pads.top) + p->first;
}

/* The first windows of output row y; what they read is copied to the ring where it is not yet
 * there. */
static inline const int16_t *read_row(plan *p, int32_t y) {
    const convolution *v = p->v;
    const int32_t first = y * v->window.stride_height;
    if (is_read_in_place(p, y)) {
        return row_in_place(p, first);
    }
    for (int32_t ky = 0; ky < v->window.kernel_height; ky++) {
        const int32_t row = first + ky * v->window.dilation_height, slot = row % p->span;
        if (p->tags[slot] != row) {
            p->tags[slot] = row;
            copy_row(p, row - v->window.pads.top, p->copies + slot * p->row);
        }
    }
    p->reads = COPIES;
    list_windows(p, first);
    return p->copies + p->first;
}

/* The sums of a block to outputs by whatever rule. */
static __attribute__((noinline)) void put_sums(const plan *p, const int32_t *sums, int32_t windows,
                                               int32_t channel, element *out) {
    const int32_t apart = p->job.apart / (int32_t)sizeof(element);
    for (int32_t n = 0; n < BLOCK_SUMS; n++) {
        const int32_t second = n / windows;
        out[n % windows * apart + second] =
            (element)dpl_requantize(p->v->requant, sums[n], channel + second);
    }
}

/* All blocks of the walk, in turns where their sums pass through the room. */
static inline void put_blocks(const plan *p, direct_job *j, const block_walk *walk, int32_t channel,
                              int is_pair) {
    const int32_t windows = is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS;
    const int32_t most = j->ending == SUMS ? ROOM_BLOCKS : walk->blocks;
    element *out = j->out;
    for (int32_t done = 0; done < walk->blocks; done += j->blocks) {
        j->blocks = least(walk->blocks - done, most);
        j->steps = walk->steps + done;
        j->sums = p->room;
        run_blocks(j, is_pair);
        for (int32_t i = 0; j->ending == SUMS && i < j->blocks; i++) {
            put_sums(p, p->room + BLOCK_SUMS * i, windows, channel, out);
            j->x += j->steps[i].x;
            out += j->steps[i].out / (int32_t)sizeof(element);
        }
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

/* The steps of a row of `count` windows and to the next row; where they are no whole blocks, the
 * second block begins earlier and writes some outputs again. */
static inline block_step *walk_row(const plan *p, const direct_job *j, int32_t count,
                                   int32_t windows, block_step *to) {
    const int32_t last = count - windows;
    for (int32_t at = 0, left = count % windows; at < last; left = 0) {
        const int32_t ahead = left > 0 ? left : windows;
        *to++ = (block_step){ahead * j->step, ahead * j->apart};
        at += ahead;
    }
    *to++ = (block_step){p->next_x - last * j->step, p->next_out - last * j->apart};
    return to;
}

/* Over `count` windows of each of so many rows. */
static inline const block_walk *walk_windows(plan *p, const direct_job *j, int32_t count,
                                             int32_t rows, int is_pair) {
    const int32_t windows = is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS;
    block_walk *const walk = is_pair ? &p->pairs : &p->singles;
    block_step *to = walk->steps;
    if (walk->of == count && walk->rows == rows) {
        return walk;
    }
    walk->of = count;
    walk->rows = rows;
    walk->blocks = rows * blocks_of(count, windows);
    for (int32_t row = 0; row < rows; row++) {
        to = walk_row(p, j, count, windows, to);
    }
    return walk;
}

/* A channel or two of a row's windows. */
static inline void put_windows(plan *p, direct_job *j, int32_t count, int32_t channel,
                               int is_pair) {
    if (count < (is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS)) {
        put_few(p, j, count, channel, is_pair ? 2 : 1);
        return;
    }
    put_blocks(p, j, walk_windows(p, j, count, 1, is_pair), channel, is_pair);
}

/* Elements from the first window of the first group to that of another. */
static inline int32_t group_at(const plan *p, int32_t group) {
    return group * p->depth - (group * p->depth & 1);
}

/* All channels of `count` windows of a row, the first at x and `out`, by whatever rule, also of
 * points and of fewer windows than a block has. */
static inline void put_pixels(plan *p, const int16_t *x, int32_t count, element *out) {
    const convolution *v = p->v;
    direct_job job = p->job;
    job.piece = v->weights;
    for (int32_t group = 0, channel = 0; group < v->groups; group++) {
        const int32_t end = channel + p->channels;
        while (channel < end) {
            const int is_pair = channel + 1 < end;
            job.x = (const char *)(x + group_at(p, group));
            job.out = out + channel;
            put_windows(p, &job, put_points(p, &job, count, is_pair), channel, is_pair);
            job.piece += p->piece;
            channel += 1 + is_pair;
        }
    }
}

static inline direct_job job_of_windows(plan *p, int32_t count, int32_t rows, int is_pair) {
    const block_walk *const walk = walk_windows(p, &p->job, count, rows, is_pair);
    direct_job job = p->job;
    job.steps = walk->steps;
    job.blocks = walk->blocks;
    return job;
}

/* The same of so many rows of whole blocks by the high-word rule: little is between two calls. */
static inline void put_whole(plan *p, const int16_t *x, int32_t count, int32_t rows, element *out) {
    const int32_t odd = p->channels & 1, groups = p->v->groups;
    const uint32_t *piece = p->v->weights;
    direct_job pair = job_of_windows(p, count, rows, p->channels > 1), single = pair;
    if (odd) {
        single = job_of_windows(p, count, rows, 0);
    }
    for (int32_t group = 0; group < groups; group++) {
        const char *const from = (const char *)(x + group_at(p, group));
        for (element *const end = out + p->channels - odd; out != end; out += 2) {
            pair.x = from;
            pair.out = out;
            pair.piece = piece;
            run_blocks(&pair, 1);
            piece += p->piece;
        }
        if (odd) {
            single.x = from;
            single.out = out++;
            single.piece = piece;
            run_blocks(&single, 0);
            piece += p->piece;
        }
    }
}

/* From group `first` on. */
static inline void walk_groups(const plan *p, int32_t first, block_walk *walk) {
    walk->of = 0;
    walk->blocks = least(p->v->groups - first, MOST_BLOCKS);
    for (int32_t i = 0; i < walk->blocks; i++) {
        const int32_t between = group_at(p, first + i + 1) - group_at(p, first + i);
        walk->steps[i] = (block_step){between * (int32_t)sizeof(int16_t),
                                      p->channels * (int32_t)sizeof(element)};
    }
}

/* The same, group after group of every block of windows: a call for all groups where that are fewer
 * calls than one of each group for all windows. */
static inline void put_groups(plan *p, const int16_t *x, int32_t count, element *out) {
    const int32_t apart = p->job.apart / (int32_t)sizeof(element), each = (p->channels + 1) / 2;
    block_walk *const walk = &p->pairs;
    direct_job job = p->job;
    job.ahead = each * p->piece;
    for (int32_t first = 0; first < p->v->groups; first += walk->blocks) {
        walk_groups(p, first, walk);
        for (int32_t pair = 0; pair < each; pair++) {
            const int is_pair = 2 * pair + 1 < p->channels;
            const int32_t windows = is_pair ? PAIR_WINDOWS : SINGLE_WINDOWS;
            element *const to = out + first * p->channels + 2 * pair;
            for (int32_t i = 0; i < count; i += windows) {
                const int32_t at = least(i, count - windows);
                job.piece = p->v->weights + (first * each + pair) * p->piece;
                job.x = (const char *)(x + group_at(p, first)) + at * job.step;
                job.out = to + at * apart;
                put_blocks(p, &job, walk, 0, is_pair);
            }
        }
    }
}

/* All channels of one window, or, of groups of one channel, of two windows. */
static inline void put_window(plan *p, const int16_t *x, int32_t windows, element *out) {
    const int32_t each = (p->channels + 1) / 2 * p->piece;
    direct_job job = p->job;
    job.piece = p->v->weights;
    for (int32_t group = 0; group < p->v->groups; group++, job.piece += each, out += p->channels) {
        job.x = (const char *)(x + group_at(p, group));
        job.out = out;
        if (p->channels == 1) {
            single_windows(&job, windows);
        } else {
            window_pairs(&job, p->channels);
        }
    }
}

/* Fewer windows than a block has. */
static inline void put_alone(plan *p, const int16_t *x, int32_t count, element *out) {
    const int32_t most = p->channels == 1 ? 2 : 1;
    for (int32_t left = count, windows; left > 0; left -= windows) {
        windows = least(left, most);
        put_window(p, x, windows, out);
        x += windows * (p->job.step / (int32_t)sizeof(int16_t));
        out += windows * (p->job.apart / (int32_t)sizeof(element));
    }
}

/* Whether sums pass through no room, and windows are none of few words. */
static inline int is_high(const plan *p) {
    return p->point == 0 && p->job.ending != SUMS;
}

/* Of `count` windows. */
static inline int32_t blocks_of_row(const plan *p, int32_t count) {
    return blocks_of(count, p->channels == 1 ? SINGLE_WINDOWS : PAIR_WINDOWS);
}

/* Whether a call for all groups is worth weights that are fetched for each of its blocks. */
static inline int is_by_groups(const plan *p, int32_t count, int32_t rows) {
    const int32_t blocks = rows * blocks_of_row(p, count);
    return blocks < p->v->groups && (p->cached || (blocks - 1) * p->piece <= CALL_WORDS);
}

/* All channels of `count` windows of a row, the first at x and `out`. */
static inline void put_part(plan *p, const int16_t *x, int32_t count, element *out) {
    if (!is_high(p)) {
        put_pixels(p, x, count, out);
    } else if (count < (p->channels & 1 ? SINGLE_WINDOWS : PAIR_WINDOWS)) {
        put_alone(p, x, count, out);
    } else {
        put_groups(p, x, count, out);
    }
}

/* The same of so many rows. */
static inline void put_parts(plan *p, const int16_t *x, int32_t count, int32_t rows, element *out) {
    const int few = count < (p->channels & 1 ? SINGLE_WINDOWS : PAIR_WINDOWS);
    if (is_high(p) && !few && !is_by_groups(p, count, rows)) {
        put_whole(p, x, count, rows, out);
        return;
    }
    for (int32_t row = 0; row < rows; row++) {
        put_part(p, x, count, out);
        x += p->next_x / (int32_t)sizeof(int16_t);
        out += p->next_out / (int32_t)sizeof(element);
    }
}

/* Rows whose windows lie in place share a list, and so a call. */
static inline int32_t most_rows(const plan *p) {
    const int alone = !(p->in_place || p->rows_in_place) || p->v->columns.count == 0;
    return alone ? 1 : MOST_BLOCKS / blocks_of_row(p, p->v->columns.count);
}

/* Rows of the next call, from y on: as many as the one after may have, which then takes the same
 * steps. */
static inline int32_t rows_together(const plan *p, int32_t y, int32_t most) {
    const convolution *v = p->v;
    if (most <= 1 || !is_read_in_place(p, y)) {
        return 1;
    }
    const int32_t last = v->input.height - p->span + v->window.pads.top;
    const int32_t rows = least(v->rows.count, last / v->window.stride_height + 1) - y;
    return blocks_of(rows, blocks_of(rows, most));
}

static inline void put_rows(plan *p, int32_t y, int32_t rows) {
    const convolution *v = p->v;
    const int32_t apart = p->job.apart / (int32_t)sizeof(element);
    const int16_t *x = read_row(p, y);
    element *out = row_of(&v->output, v->rows.first + y * v->rows.step) +
                   v->columns.first * v->output.pixel_pitch;
    for (int32_t left = v->columns.count; left > 0; left -= DPL_DIRECT_WINDOWS) {
        const int32_t count = least(left, DPL_DIRECT_WINDOWS);
        put_parts(p, x, count, rows, out);
        x += DPL_DIRECT_WINDOWS * (p->job.step / (int32_t)sizeof(int16_t));
        out += DPL_DIRECT_WINDOWS * apart;
    }
}

/* Returns the weights behind its own. */
static inline const uint32_t *convolve_directly(convolution *v) {
    plan p;
    join_rows(v);
    const int turned = is_turned(v);
    if (turned) {
        turn(v);
    }
    plan_direct(v, turned, &p);
    for (int32_t i = 0; !p.in_place && i < p.span; i++) {
        p.tags[i] = -1 - i; /* none: a loop of one value is a call of memset to gcc */
    }
    const int32_t most = most_rows(&p);
    for (int32_t y = 0, rows; v->columns.count > 0 && y < v->rows.count; y += rows) {
        rows = rows_together(&p, y, most);
        put_rows(&p, y, rows);
    }
    return v->weights + v->groups * ((p.channels + 1) / 2) * p.piece;
}

#endif
