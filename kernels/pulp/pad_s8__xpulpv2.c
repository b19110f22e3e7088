/* Pad of int8: pixels of the value, and pixels of the input with the value in the channels around
 * them, each kind at once. */
#include "dpl/move.h"

#include "dpl/pulp/runs.h"
#include "dpl/pulp/spans.h"

typedef dpl_pad_s8_args args;

/* The part of a share that lies between begin and end, or an empty one in it. */
static dpl_share within(dpl_share share, int32_t begin, int32_t end) {
    dpl_share found = {begin > share.begin ? begin : share.begin,
                       end < share.end ? end : share.end};
    found.begin = found.begin < share.end ? found.begin : share.end;
    found.end = found.end > found.begin ? found.end : found.begin;
    return found;
}

/* Channels of count pixels. */
static void fill(const args *a, int8_t *out, dpl_share channels, int32_t count) {
    dpl_fill_pixels(out + channels.begin, a->value, channels.end - channels.begin, count,
                    a->output.pixel_pitch);
}

/* Pixels that come from the input; out: the first. */
static void copy(const args *a, const int8_t *input, int8_t *out, dpl_share channels,
                 int32_t count) {
    const dpl_share taken = within(channels, a->channel, a->channel + a->input.channels);
    const dpl_share before = {channels.begin, taken.begin}, behind = {taken.end, channels.end};
    fill(a, out, before, count);
    dpl_copy_pixels(out + taken.begin, input + taken.begin - a->channel, taken.end - taken.begin,
                    count, a->output.pixel_pitch, a->input.pixel_pitch);
    fill(a, out, behind, count);
}

/* count pixels from p on, in its row; the input may reach beyond the output. */
static void span(const args *a, const dpl_pixels *p, int32_t count) {
    const int32_t pitch = a->output.pixel_pitch, row = p->y - a->top;
    const int32_t met = row >= 0 && row < a->input.height;
    const dpl_share columns = {p->x, p->x + count};
    const dpl_share taken = within(columns, a->left, met ? a->left + a->input.width : a->left);
    int8_t *out = dpl_row_s8(&a->output, p->y);
    fill(a, out + columns.begin * pitch, p->channels, taken.begin - columns.begin);
    if (taken.begin < taken.end) {
        const int8_t *input = dpl_row_s8(&a->input, row);
        copy(a, input + (taken.begin - a->left) * a->input.pixel_pitch, out + taken.begin * pitch,
             p->channels, taken.end - taken.begin);
    }
    fill(a, out + taken.end * pitch, p->channels, columns.end - taken.end);
}

void dpl_pad_s8__xpulpv2(const dpl_pad_s8_args *a) {
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, &p, count);
        dpl_pixels_next(&p, &a->output, count);
    }
}
