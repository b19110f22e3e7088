/* Transpose of int8: rows of the output, copied in words or gathered from elements a pitch apart;
 * where these are short, as of shuffled channels, an element of many rows. */
#include "dpl/transpose.h"

#include "dpl/cores.h"
#include "dpl/pulp/gather.h"
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

/* Whether the second axis keeps its place, and a core has so many of it that a line of them, 13
 * cycles and 2 an element, takes less than a row of the last axis, 45 and 2. */
static int keeps_second(const args *a) {
    const int32_t inside = a->shape[2] * a->shape[3];
    return a->shape[0] == 1 && a->input_pitch[1] == inside &&
           3 * a->shape[1] >= DPL_CORE_COUNT * a->shape[3];
}

/* Lines of the elements at one place of all of a core's part of the second axis. */
static void by_elements(const args *a) {
    const int32_t inside = a->input_pitch[1];
    const dpl_share part = dpl_core_share(a->shape[1]);
    const int8_t *from = a->input + part.begin * inside;
    int8_t *to = a->output + part.begin * inside;
    dpl_gather g;
    g.step = g.to_step = inside;
    g.line = a->input_pitch[3];
    g.to_line = 1;
    g.count = part.end - part.begin;
    g.lines = a->shape[3];
    for (int32_t i = g.count > 0 ? a->shape[2] : 0; i > 0; i--) {
        g.from = from;
        g.to = to;
        dpl_gather_bytes(&g);
        from += a->input_pitch[2];
        to += a->shape[3];
    }
}

static void by_rows(const args *a) {
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

void dpl_transpose_s8__xpulpv2(const dpl_transpose_s8_args *a) {
    if (a->input_pitch[3] != 1 && keeps_second(a)) {
        by_elements(a);
    } else {
        by_rows(a);
    }
}
