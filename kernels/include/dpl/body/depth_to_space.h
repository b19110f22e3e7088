/* DepthToSpace: the output row by row. The channels of an output pixel are a run of the input's,
 * and so are those of the block's pixels beside it where the output has no gaps; column first they
 * lie block * block elements apart. */
#include "dpl/body/run.h"
#include "dpl/cores.h"

/* Pixels of output row x and on that lie in one block, from its column j. */
static int32_t in_block(const args *a, int32_t x, int32_t j) {
    const int32_t left = a->block - j;
    return left < a->output.width - x ? left : a->output.width - x;
}

/* Pixels of a block that the output has only a part of. */
static void part_of_block(const args *a, int32_t pixels, int32_t count, const element *from,
                          element *out) {
    for (; pixels > 0; pixels--, from += a->output.channels, out += a->output.pixel_pitch) {
        copy_run(out, from, count);
    }
}

/* Row i of every block: input and out are rows, at this core's first channel. */
static void blocks(const args *a, int32_t i, int32_t count, const element *input, element *out) {
    const int32_t depth = a->output.channels, pitch = a->output.pixel_pitch;
    const int32_t runs = pitch == count ? 1 : a->block;
    const int32_t length = pitch == count ? a->block * count : count;
    const int32_t j = a->left % a->block;
    int32_t x = 0;
    input += i * a->block * depth;
    if (j > 0) {
        x = in_block(a, 0, j);
        part_of_block(a, x, count, input + j * depth, out);
        input += a->input.pixel_pitch;
        out += x * pitch;
    }
    for (; x + a->block <= a->output.width; x += a->block, input += a->input.pixel_pitch) {
        for (int32_t k = 0; k < runs; k++) {
            copy_run(out + k * pitch, input + k * depth, length);
        }
        out += a->block * pitch;
    }
    part_of_block(a, a->output.width - x, count, input, out);
}

static void gather(element *restrict out, const element *restrict input, int32_t step,
                   int32_t count) {
    for (int32_t c = 0; c < count; c++, input += step) {
        out[c] = *input;
    }
}

static void columns(const args *a, int32_t i, dpl_share channels, const element *input,
                    element *out) {
    const int32_t step = a->block * a->block;
    input += channels.begin * step + i * a->block;
    out += channels.begin;
    for (int32_t x = 0, j = a->left % a->block; x < a->output.width; j = 0) {
        const int32_t end = j + in_block(a, x, j);
        for (x += end - j; j < end; j++, out += a->output.pixel_pitch) {
            gather(out, input + j, step, channels.end - channels.begin);
        }
        input += a->input.pixel_pitch;
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int32_t row = a->top + y;
        const element *input = row_of(&a->input, row / a->block);
        element *out = row_of(&a->output, y);
        input += a->left / a->block * a->input.pixel_pitch;
        if (a->column_first) {
            columns(a, row % a->block, part.channels, input, out);
        } else {
            blocks(a, row % a->block, count, input + first, out + first);
        }
    }
}
