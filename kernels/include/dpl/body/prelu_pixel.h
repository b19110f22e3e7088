/* A pixel of a PRelu, by any rule. No restrict: the output may take the input's place. */
#include "dpl/cores.h"

/* This core's channels of one pixel. The entry for values from zero up stays in registers, as do
 * the other parameters; those of a slope are loaded where they are needed. */
static void pixel(const args *a, dpl_share channels, const element *input, element *out) {
    const dpl_requant *q = &a->requant;
    const int32_t multiplier = *q->multiplier, rounding = *q->rounding;
    const uint8_t shift = *q->shift;
    const dpl_requant one = {&multiplier, &rounding, &shift, 0, q->rule, q->low, q->high};
    const int32_t at = 1 + a->first;
    const dpl_requant slope = {
        q->multiplier + at, q->rounding + at, q->shift + at, 1, q->rule, q->low, q->high};
    const int32_t zero = a->input_zero;
    for (int32_t c = channels.begin; c < channels.end; c++) {
        int32_t x = input[c] - zero;
        out[c] = (element)(x < 0 ? dpl_requantize(&slope, x, c) : dpl_requantize(&one, x, 0));
    }
}
