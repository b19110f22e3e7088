/* Transpose of int8: rows of the output, copied in words or gathered from elements a pitch apart.
 */
#include "dpl/transpose.h"

#include "dpl/cores.h"
#include "dpl/pulp/runs.h"

typedef dpl_transpose_s8_args args;

/* Positions of an output row along the first three axes, and where it begins in the input. */
typedef struct {
    int32_t second, third, at;
} row;

static row row_at(const args *a, int32_t number) {
    const int32_t above = number / a->shape[2], first = above / a->shape[1];
    row r = {above - first * a->shape[1], number - above * a->shape[2], 0};
    r.at = first * a->input_pitch[0] + r.second * a->input_pitch[1] + r.third * a->input_pitch[2];
    return r;
}

static void next_row(const args *a, row *r) {
    r->at += a->input_pitch[2];
    if (++r->third < a->shape[2]) {
        return;
    }
    r->third = 0;
    r->at += a->input_pitch[1] - a->shape[2] * a->input_pitch[2];
    if (++r->second == a->shape[1]) {
        r->second = 0;
        r->at += a->input_pitch[0] - a->shape[1] * a->input_pitch[1];
    }
}

void dpl_transpose_s8__xpulpv2(const dpl_transpose_s8_args *a) {
    const int32_t width = a->shape[3], pitch = a->input_pitch[3];
    const dpl_part part = dpl_core_part(a->shape[0] * a->shape[1] * a->shape[2], width);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    int8_t *out = a->output + part.rows.begin * width + first;
    row r = row_at(a, part.rows.begin);
    for (int32_t y = part.rows.begin; y < part.rows.end; y++, out += width, next_row(a, &r)) {
        const int8_t *input = a->input + r.at + first * pitch;
        if (pitch == 1) {
            dpl_copy_runs(out, input, count, 1, 0, 0);
        } else {
            dpl_gather_run(out, input, count, pitch);
        }
    }
}
