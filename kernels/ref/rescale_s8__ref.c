/* Rescale, int8, portable. No restrict: the output may take the input's place. */
#include "dpl/cores.h"
#include "dpl/elementwise.h"

/* The tensor has 256 possible values but a table would be state; the rule, parameters in
 * registers, takes about 10 instructions an element on a Cortex-M7. They are copied out because a
 * store to int8_t may alias anything. */
static void run(const dpl_rescale_s8_args *a, const int8_t *input, int8_t *out, int32_t count) {
    const int32_t multiplier = *a->requant.multiplier, rounding = *a->requant.rounding;
    const uint8_t shift = *a->requant.shift;
    const dpl_requant one = {&multiplier,     &rounding,      &shift,         0,
                             a->requant.rule, a->requant.low, a->requant.high};
    for (int32_t i = 0; i < count; i++) {
        out[i] = dpl_requantize(&one, input[i], 0);
    }
}

void dpl_rescale_s8__ref(const dpl_rescale_s8_args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int dense = a->input.pixel_pitch == count && a->output.pixel_pitch == count;
    const int32_t pixels = dense ? 1 : a->output.width;
    const int32_t length = dense ? a->output.width * count : count;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *input = dpl_row_s8(&a->input, y) + first;
        int8_t *out = dpl_row_s8(&a->output, y) + first;
        for (int32_t x = 0; x < pixels; x++) {
            run(a, input, out, length);
            input += a->input.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
