/* DepthToSpace: the output row by row. The channels of an output pixel are a run of the input's,
 * and so are those of the block's pixels beside it where the output has no gaps; column first they
 * lie block * block elements apart. */
#include "dpl/body/run.h"
#include "dpl/cores.h"

/* Row i of every block: input and out are rows, at this core's first channel. */
static void blocks(const args *a, int32_t i, int32_t count, const element *input, element *out) {
    const int32_t depth = a->output.channels, pitch = a->output.pixel_pitch;
    const int32_t runs = pitch == count ? 1 : a->block;
    const int32_t length = pitch == count ? a->block * count : count;
    input += i * a->block * depth;
    for (int32_t x = 0; x < a->input.width; x++, input += a->input.pixel_pitch) {
        for (int32_t j = 0; j < runs; j++) {
            copy_run(out + j * pitch, input + j * depth, length);
        }
        out += a->block * pitch;
    }
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
    for (int32_t x = 0; x < a->input.width; x++, input += a->input.pixel_pitch) {
        for (int32_t j = 0; j < a->block; j++, out += a->output.pixel_pitch) {
            gather(out, input + j, step, channels.end - channels.begin);
        }
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *input = row_of(&a->input, y / a->block);
        element *out = row_of(&a->output, y);
        if (a->column_first) {
            columns(a, y % a->block, part.channels, input, out);
        } else {
            blocks(a, y % a->block, count, input + first, out + first);
        }
    }
}
