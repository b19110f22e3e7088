/* SpaceToDepth: the way back of DepthToSpace. A pixel's channels are a run of the output's, with
 * those of the block's pixels beside it where the input has no gaps; column first they go
 * block * block elements apart. */
#include "dpl/body/run.h"
#include "dpl/cores.h"

/* The part of channels from begin to begin + length, counted from begin. */
static dpl_share within(dpl_share channels, int32_t begin, int32_t length) {
    int32_t from = channels.begin - begin, to = channels.end - begin;
    dpl_share found = {from > 0 ? from : 0, to < length ? to : length};
    return found;
}

/* Row i of every block: its runs lie one after the other in the output's channels. */
static void blocks(const args *a, int32_t i, dpl_share channels, const element *input,
                   element *out) {
    const int32_t pitch = a->input.pixel_pitch, depth = a->input.channels;
    const int32_t runs = pitch == depth ? 1 : a->block;
    const int32_t length = pitch == depth ? a->block * depth : depth;
    for (int32_t j = 0; j < runs; j++) {
        const int32_t begin = i * a->block * depth + j * length;
        const dpl_share part = within(channels, begin, length);
        const element *from = input + j * pitch + part.begin;
        element *to = out + begin + part.begin;
        for (int32_t x = 0; x < a->output.width && part.begin < part.end; x++) {
            copy_run(to, from, part.end - part.begin);
            from += a->block * pitch;
            to += a->output.pixel_pitch;
        }
    }
}

static void scatter(element *restrict out, const element *restrict input, int32_t step,
                    int32_t count) {
    for (int32_t c = 0; c < count; c++, out += step) {
        *out = input[c];
    }
}

/* Row i of every block: channel c of its column j goes to c * block * block + i * block + j. */
static void columns(const args *a, int32_t i, dpl_share channels, const element *input,
                    element *out) {
    const int32_t step = a->block * a->block, pitch = a->input.pixel_pitch;
    for (int32_t j = 0; j < a->block; j++) {
        const int32_t at = i * a->block + j;
        const int32_t first = (channels.begin - at + step - 1) / step;
        const int32_t count = (channels.end - at + step - 1) / step - first;
        const element *from = input + j * pitch + first;
        element *to = out + first * step + at;
        for (int32_t x = 0; x < a->output.width; x++) {
            scatter(to, from, step, count);
            from += a->block * pitch;
            to += a->output.pixel_pitch;
        }
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        element *out = row_of(&a->output, y);
        for (int32_t i = 0; i < a->block; i++) {
            const element *input = row_of(&a->input, y * a->block + i);
            if (a->column_first) {
                columns(a, i, part.channels, input, out);
            } else {
                blocks(a, i, part.channels, input, out);
            }
        }
    }
}
