/* SpaceToDepth of int8: the way back of DepthToSpace. A pixel's channels are a run of the output's,
 * with those of the block's pixels beside it where the input has no gaps; column first they are
 * scattered. */
#include "dpl/move.h"

#include "dpl/pulp/runs.h"
#include "dpl/pulp/spans.h"

typedef dpl_block_s8_args args;

/* The part of channels from begin to begin + length, counted from begin. */
static dpl_share within(dpl_share channels, int32_t begin, int32_t length) {
    const int32_t from = channels.begin - begin, to = channels.end - begin;
    dpl_share found = {from > 0 ? from : 0, to < length ? to : length};
    return found;
}

/* Row i of count blocks: its runs lie one after the other in the output's channels. */
static void blocks(const args *a, int32_t i, dpl_share channels, const int8_t *input, int8_t *out,
                   int32_t count) {
    const int32_t pitch = a->input.pixel_pitch, depth = a->input.channels;
    const int32_t runs = pitch == depth ? 1 : a->block;
    const int32_t length = pitch == depth ? a->block * depth : depth;
    for (int32_t j = 0; j < runs; j++) {
        const int32_t begin = i * a->block * depth + j * length;
        const dpl_share part = within(channels, begin, length);
        if (part.begin < part.end) {
            dpl_copy_runs(out + begin + part.begin, input + j * pitch + part.begin,
                          part.end - part.begin, count, a->output.pixel_pitch, a->block * pitch);
        }
    }
}

/* Row i of count blocks: channel c of its column j goes to c * block * block + i * block + j. */
static void columns(const args *a, int32_t i, dpl_share channels, const int8_t *input, int8_t *out,
                    int32_t count) {
    const int32_t step = a->block * a->block, pitch = a->input.pixel_pitch;
    for (int32_t j = 0; j < a->block; j++) {
        const int32_t at = i * a->block + j;
        const int32_t first = (channels.begin - at + step - 1) / step;
        const int32_t length = (channels.end - at + step - 1) / step - first;
        const int8_t *from = input + j * pitch + first;
        int8_t *to = out + first * step + at;
        for (int32_t x = 0; x < count; x++) {
            dpl_scatter_run(to, from, length, step);
            from += a->block * pitch;
            to += a->output.pixel_pitch;
        }
    }
}

void dpl_space_to_depth_s8__xpulpv2(const dpl_block_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        int8_t *out = dpl_pixels_out(&p, &a->output);
        for (int32_t i = 0; i < a->block; i++) {
            const int8_t *input =
                dpl_row_s8(&a->input, p.y * a->block + i) + p.x * a->block * a->input.pixel_pitch;
            if (a->column_first) {
                columns(a, i, p.channels, input, out, count);
            } else {
                blocks(a, i, p.channels, input, out, count);
            }
        }
        dpl_pixels_next(&p, &a->output, count);
    }
}
