/* Transpose: the output in order, the input by pitches. A load, a store and an add of the pitch for
 * each element; the position of a row is divided out once. */
#include "dpl/cores.h"

/* Element offset of output row number row in the input. */
static int32_t row_offset(const args *a, int32_t row) {
    int32_t third = row % a->shape[2];
    int32_t second = row / a->shape[2] % a->shape[1];
    int32_t first = row / a->shape[2] / a->shape[1];
    return first * a->input_pitch[0] + second * a->input_pitch[1] + third * a->input_pitch[2];
}

static void copy(element *restrict out, const element *restrict input, int32_t pitch,
                 int32_t count) {
    for (int32_t i = 0; i < count; i++, input += pitch) {
        out[i] = *input;
    }
}

void KERNEL(const args *a) {
    const int32_t rows = a->shape[0] * a->shape[1] * a->shape[2];
    const int32_t width = a->shape[3], pitch = a->input_pitch[3];
    const dpl_part part = dpl_core_part(rows, width);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t row = part.rows.begin; row < part.rows.end; row++) {
        const element *input = a->input + row_offset(a, row) + first * pitch;
        copy(a->output + row * width + first, input, pitch, count);
    }
}
