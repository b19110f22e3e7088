/* Runs of a part of a Concat, by any rule. */
#include "dpl/body/pixel_runs.h"
#include "dpl/requant.h"

/* The parameters are copied out because a store to int8_t may alias anything. */
static void runs(const pixel_runs *r, const dpl_requant *q, const element *input, element *out) {
    const int32_t multiplier = *q->multiplier, rounding = *q->rounding, count = r->count;
    const uint8_t shift = *q->shift;
    const dpl_requant one = {&multiplier, &rounding, &shift, 0, q->rule, q->low, q->high};
    for (int32_t x = r->pixels; x > 0; x--, input += r->from_pitch, out += r->to_pitch) {
        for (int32_t i = 0; i < count; i++) {
            out[i] = (element)dpl_requantize(&one, input[i], 0);
        }
    }
}
