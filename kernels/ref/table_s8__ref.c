/* Table, int8, portable: two loads and a store an element. No restrict: the output may take the
 * input's place. */
#include "dpl/cores.h"
#include "dpl/elementwise.h"

static void run(const int8_t *table, const int8_t *input, int8_t *out, int32_t count) {
    const int8_t *middle = table + 128;
    for (int32_t i = 0; i < count; i++) {
        out[i] = middle[input[i]];
    }
}

void dpl_table_s8__ref(const dpl_table_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int dense = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    const int32_t pixels = dense ? 1 : a->output.width;
    const int32_t length = dense ? a->output.width * count : count;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *input = dpl_row_s8(&a->input, y) + first;
        int8_t *out = dpl_row_s8(&a->output, y) + first;
        for (int32_t x = 0; x < pixels; x++) {
            run(a->table, input, out, length);
            input += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
