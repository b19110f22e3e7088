/* Pad: rows of the value, and rows of the input between pixels of the value. Where pitches leave no
 * gap and no channel is added, a stretch of pixels is one run. */
#include "dpl/body/run.h"
#include "dpl/cores.h"

/* count pixels of the value, this core's channels. */
static void fill(const args *a, dpl_share channels, element *out, int32_t count) {
    const int32_t length = channels.end - channels.begin, pitch = a->output.pixel_pitch;
    const element value = (element)a->value;
    out += channels.begin;
    if (pitch == length) {
        fill_run(out, value, count * length);
        return;
    }
    for (int32_t x = 0; x < count; x++, out += pitch) {
        fill_run(out, value, length);
    }
}

/* The part of this core's channels that comes from the input, in channels of the output. */
static dpl_share taken(const args *a, dpl_share channels) {
    int32_t begin = a->channel, end = a->channel + a->input.channels;
    begin = begin < channels.begin ? channels.begin : begin;
    end = end > channels.end ? channels.end : end;
    dpl_share found = {begin, end > begin ? end : begin};
    if (begin > channels.end) {
        found.begin = found.end = channels.end;
    }
    return found;
}

/* Pixels of a row of the input, with the value in the channels around them. */
static void copy(const args *a, dpl_share channels, const element *input, element *out,
                 int32_t width) {
    const dpl_share from = taken(a, channels);
    const int32_t length = from.end - from.begin;
    const element value = (element)a->value;
    input += from.begin - a->channel;
    if (a->input.pixel_pitch == length && a->output.pixel_pitch == length) {
        copy_run(out + from.begin, input, width * length);
        return;
    }
    for (int32_t x = 0; x < width; x++, input += a->input.pixel_pitch) {
        fill_run(out + channels.begin, value, from.begin - channels.begin);
        copy_run(out + from.begin, input, length);
        fill_run(out + from.end, value, channels.end - from.end);
        out += a->output.pixel_pitch;
    }
}

/* The columns of the output that come from the input; it may reach beyond. */
static dpl_share columns_of(const args *a) {
    const int32_t width = a->output.width, behind = a->left + a->input.width;
    dpl_share found = {a->left > 0 ? a->left : 0, behind < width ? behind : width};
    if (found.begin >= found.end) {
        found.begin = found.end = width;
    }
    return found;
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const dpl_share columns = columns_of(a);
    const int32_t pitch = a->output.pixel_pitch, width = a->output.width;
    const int32_t skipped = (columns.begin - a->left) * a->input.pixel_pitch;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        element *out = row_of(&a->output, y);
        int32_t row = y - a->top;
        if (row < 0 || row >= a->input.height || columns.begin == columns.end) {
            fill(a, part.channels, out, width);
            continue;
        }
        const int32_t count = columns.end - columns.begin;
        fill(a, part.channels, out, columns.begin);
        copy(a, part.channels, row_of(&a->input, row) + skipped, out + columns.begin * pitch,
             count);
        fill(a, part.channels, out + columns.end * pitch, width - columns.end);
    }
}
