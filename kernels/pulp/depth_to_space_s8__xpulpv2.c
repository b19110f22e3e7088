/* DepthToSpace of int8. The channels of an output pixel are a run of the input's, and so are those
 * of the block's pixels beside it where the output has no gaps; column first they are gathered. */
#include "dpl/move.h"

#include "dpl/pulp/runs.h"
#include "dpl/pulp/spans.h"

typedef dpl_block_s8_args args;

/* Where pixels of an output row come from: from is this core's first channel of column 0 of the
 * block, j the column of the next. */
typedef struct {
    const int8_t *from;
    int8_t *out;
    int32_t j, length;
} walk;

static void move_on(const args *a, walk *w, int32_t pixels) {
    w->out += pixels * a->output.pixel_pitch;
    w->j += pixels;
    if (w->j == a->block) {
        w->j = 0;
        w->from += a->input.pixel_pitch;
    }
}

/* Pixels of one block. */
static void part_of_block(const args *a, walk *w, int32_t pixels) {
    const int32_t depth = a->output.channels;
    dpl_copy_pixels(w->out, w->from + w->j * depth, w->length, pixels, a->output.pixel_pitch,
                    depth);
    move_on(a, w, pixels);
}

/* Whole blocks: runs of all their pixels, or the pixels of each column. */
static void blocks(const args *a, walk *w, int32_t count) {
    const int32_t depth = a->output.channels, pitch = a->output.pixel_pitch;
    const int32_t contiguous = pitch == w->length;
    const int32_t length = contiguous ? a->block * depth : w->length;
    for (int32_t j = 0; j < (contiguous ? 1 : a->block); j++) {
        dpl_copy_runs(w->out + j * pitch, w->from + j * depth, length, count, a->block * pitch,
                      a->input.pixel_pitch);
    }
    w->out += count * a->block * pitch;
    w->from += count * a->input.pixel_pitch;
}

static void by_blocks(const args *a, walk *w, int32_t count) {
    const int32_t begun = w->j > 0 ? a->block - w->j : 0;
    if (begun > 0) {
        const int32_t first = begun < count ? begun : count;
        part_of_block(a, w, first);
        count -= first;
    }
    const int32_t whole = count / a->block;
    blocks(a, w, whole);
    if (count > whole * a->block) {
        part_of_block(a, w, count - whole * a->block);
    }
}

static void by_columns(const args *a, walk *w, int32_t count) {
    for (; count > 0; count--) {
        dpl_gather_run(w->out, w->from + w->j, w->length, a->block * a->block);
        move_on(a, w, 1);
    }
}

/* count pixels from p on, in its row. */
static void span(const args *a, const dpl_pixels *p, int32_t count) {
    const int32_t row = a->top + p->y, column = a->left + p->x, block = a->block;
    const int32_t from_row = row / block, from_column = column / block;
    const int32_t i = row - from_row * block, first = p->channels.begin;
    walk w = {.out = dpl_span_start(&a->output, p),
              .j = column - from_column * block,
              .length = p->channels.end - first};
    w.from = dpl_row_s8(&a->input, from_row) + from_column * a->input.pixel_pitch;
    if (a->column_first) {
        w.from += first * block * block + i * block;
        by_columns(a, &w, count);
    } else {
        w.from += i * block * a->output.channels + first;
        by_blocks(a, &w, count);
    }
}

void dpl_depth_to_space_s8__xpulpv2(const dpl_block_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, &p, count);
        dpl_pixels_next(&p, &a->output, count);
    }
}
