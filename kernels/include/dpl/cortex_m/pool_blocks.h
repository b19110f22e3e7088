/* How pools cut an output: blocks whose columns, folded over the rows of the window, fit a strip of
 * scratch. deployer/kernelset/cortex_m/pool.py computes the same. */
#ifndef DPL_CORTEX_M_POOL_BLOCKS_H
#define DPL_CORTEX_M_POOL_BLOCKS_H

#include "dpl/cortex_m/blocking.h"
#include "dpl/window.h"

/* Of outputs; `pitch`: elements from a row of the strip to the next. */
typedef struct {
    int32_t rows, columns, channels, pitch;
} pool_blocks;

/* A block: `wide` columns of the strip, of which those from `begin` to `end` lie in the input.
 * `origin`: elements before the strip's first, so that those of the input begin at a word. `taps`:
 * columns of a window, `added`: those of the strip that an output is made of. `follows`: the
 * strip's row has what was made of the output row above. */
typedef struct {
    int32_t y, rows, x, columns, channel, channels;
    int32_t wide, taps, first, begin, end, origin, pitch, added, follows;
} pool_block;

static inline int32_t least_of(int32_t x, int32_t y) {
    return x < y ? x : y;
}

static inline int32_t columns_under(const dpl_window *w, int32_t outputs) {
    return (outputs - 1) * w->stride_width + (w->kernel_width - 1) * w->dilation_width + 1;
}

static inline int32_t strip_pitch(int32_t elements) {
    return (elements + 2 * DPL_POOL_ALIGNMENT - 1) / DPL_POOL_ALIGNMENT * DPL_POOL_ALIGNMENT;
}

/* Strips of `room` elements, of an output of these sizes. */
static inline pool_blocks pool_blocks_of(const dpl_window *w, const dpl_tensor_s8 *output,
                                         int32_t room) {
    const int32_t channels = output->channels, single = columns_under(w, 1);
    const int32_t row = strip_pitch(columns_under(w, output->width) * channels);
    if (row <= room) {
        const pool_blocks rows = {least_of(output->height, room / row), output->width, channels,
                                  row};
        return rows;
    }
    const int32_t spare = room - strip_pitch(0), every = spare / columns_under(w, output->width);
    const int32_t wide = columns_under(w, DPL_POOL_COLUMNS);
    if (channels * wide <= spare) {
        const int32_t columns = (spare / channels - single) / w->stride_width + 1;
        const pool_blocks pixels = {1, columns, channels,
                                    strip_pitch(columns_under(w, columns) * channels)};
        return pixels;
    }
    const int32_t wish = every > DPL_POOL_CHANNELS ? every & -4 : DPL_POOL_CHANNELS;
    const int32_t fit = least_of(spare / single & -4, wish), most = fit < 4 ? 4 : fit;
    const int32_t parts = (channels + most - 1) / most;
    const int32_t count = least_of(channels, ((channels + parts - 1) / parts + 3) & -4);
    const int32_t left = spare / count - single;
    const int32_t columns = least_of(output->width, left < 0 ? 1 : left / w->stride_width + 1);
    const pool_blocks part = {1, columns, count, strip_pitch(columns_under(w, columns) * count)};
    return part;
}

/* The block from output (y, x) and a channel on. */
static inline pool_block pool_block_at(const pool_blocks *b, const dpl_window *w,
                                       const dpl_tensor_s8 *input, const dpl_tensor_s8 *output,
                                       int32_t x, int32_t channel) {
    pool_block p;
    p.x = x;
    p.channel = channel;
    p.pitch = b->pitch;
    p.taps = p.added = w->kernel_width;
    p.columns = least_of(b->columns, output->width - x);
    p.channels = least_of(b->channels, output->channels - channel);
    p.wide = columns_under(w, p.columns);
    p.first = x * w->stride_width - w->pads.left;
    p.begin = p.first < 0 ? least_of(-p.first, p.wide) : 0;
    p.end = least_of(p.wide, input->width - p.first);
    p.end = p.end < p.begin ? p.begin : p.end;
    p.origin = -p.begin * p.channels & (DPL_POOL_ALIGNMENT - 1);
    return p;
}

#endif
