/* Transpose: where the last axis stays, runs. Otherwise blocks of BLOCK by BLOCK elements of the
 * input's last axis and the output's, transposed in registers; the last blocks overlap those
 * before. `transpose_block` reads and writes runs of BLOCK so many elements apart. */
#include "dpl/cores.h"
#include "dpl/neon/run.h"

enum { AXES = 4, LAST = AXES - 1 };

/* The output's axes but its last: `inner`, the input's last, and two around it. */
typedef struct {
    int32_t inner, outer[2], pitch[LAST];
} axes;

static axes axes_of(const args *a, int32_t inner) {
    axes found = {inner, {0, 0}, {0, 0, a->shape[LAST]}};
    found.pitch[1] = found.pitch[2] * a->shape[2];
    found.pitch[0] = found.pitch[1] * a->shape[1];
    for (int32_t axis = 0, i = 0; axis < LAST; axis++) {
        if (axis != inner) {
            found.outer[i++] = axis;
        }
    }
    return found;
}

/* One element after the other, `count` along the output's last axis. */
static void gather(element *restrict out, const element *restrict input, int32_t pitch,
                   int32_t count) {
    for (int32_t i = 0; i < count; i++, input += pitch) {
        out[i] = *input;
    }
}

/* Rows `rows` of the output along the inner axis, whole. */
static void run_plane(const args *a, int32_t out_pitch, dpl_share rows, const element *input,
                      element *out) {
    const int32_t width = a->shape[LAST], pitch = a->input_pitch[LAST];
    if (rows.end - rows.begin < BLOCK || width < BLOCK) {
        for (int32_t i = rows.begin; i < rows.end; i++) {
            gather(out + i * out_pitch, input + i, pitch, width);
        }
        return;
    }
    for (int32_t i = rows.begin; i < rows.end; i += BLOCK) {
        i = i + BLOCK <= rows.end ? i : rows.end - BLOCK;
        for (int32_t x = 0; x < width; x += BLOCK) {
            x = x + BLOCK <= width ? x : width - BLOCK;
            transpose_block(input + i + x * pitch, pitch, out + i * out_pitch + x, out_pitch);
        }
    }
}

/* Cores divide the planes or, where these are fewer, each of them. */
static void run_planes(const args *a, int32_t inner) {
    const axes by = axes_of(a, inner);
    const int32_t first = by.outer[0], second = by.outer[1];
    const dpl_part part = dpl_core_part(a->shape[first] * a->shape[second], a->shape[inner]);
    for (int32_t i = part.rows.begin; i < part.rows.end; i++) {
        const int32_t p = i / a->shape[second], q = i % a->shape[second];
        const element *input = a->input + p * a->input_pitch[first] + q * a->input_pitch[second];
        element *out = a->output + p * by.pitch[first] + q * by.pitch[second];
        run_plane(a, by.pitch[inner], part.channels, input, out);
    }
}

/* Element offset of output row number row in the input. */
static int32_t row_offset(const args *a, int32_t row) {
    const int32_t third = row % a->shape[2];
    const int32_t second = row / a->shape[2] % a->shape[1];
    const int32_t first = row / a->shape[2] / a->shape[1];
    return first * a->input_pitch[0] + second * a->input_pitch[1] + third * a->input_pitch[2];
}

static void run_rows(const args *a) {
    const int32_t rows = a->shape[0] * a->shape[1] * a->shape[2], width = a->shape[LAST];
    const dpl_part part = dpl_core_part(rows, width);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t row = part.rows.begin; row < part.rows.end; row++) {
        copy_run(a->output + row * width + first, a->input + row_offset(a, row) + first, count);
    }
}

void KERNEL(const args *a) {
    for (int32_t axis = 0; axis < LAST; axis++) {
        if (a->input_pitch[axis] == 1 && a->shape[axis] > 1 && a->input_pitch[LAST] != 1) {
            run_planes(a, axis);
            return;
        }
    }
    run_rows(a);
}
