/* Resize, linear: `pixel` computes the channels of one output pixel. */
#include "dpl/cores.h"
#include "dpl/linear.h"

static void next(position *p) {
    p->weight += 2;
    if (p->weight >= p->whole) {
        p->weight -= p->whole;
        p->first++;
    }
}

static int32_t inside(int32_t at, int32_t extent) {
    return at < 0 ? 0 : at < extent ? at : extent - 1;
}

/* One output row, between the input rows upper and lower. */
static void row(const args *a, const position *v, const element *upper, const element *lower,
                int32_t count, element *out) {
    const int32_t below = v->weight, above = v->whole - below, pitch = a->input.pixel_pitch;
    position h = position_at(a->left, a->factor_width, a->half_pixel);
    for (int32_t x = 0; x < a->output.width; x++, next(&h), out += a->output.pixel_pitch) {
        const int32_t left = inside(h.first, a->input.width) * pitch;
        const int32_t right = inside(h.first + 1, a->input.width) * pitch;
        const int32_t far = h.weight, near = h.whole - far;
        const element *const from[4] = {upper + left, upper + right, lower + left, lower + right};
        const int32_t weight[4] = {above * near, above * far, below * near, below * far};
        pixel(from, weight, a->shift, count, out);
    }
}

void KERNEL(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const position v = position_at(y + a->top, a->factor_height, a->half_pixel);
        const int32_t upper = inside(v.first, a->input.height);
        const int32_t lower = inside(v.first + 1, a->input.height);
        row(a, &v, row_of(&a->input, upper) + first, row_of(&a->input, lower) + first, count,
            row_of(&a->output, y) + first);
    }
}
