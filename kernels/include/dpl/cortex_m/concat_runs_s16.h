/* Runs of a part of a Concat of int16: two elements of a word at a time. */
#include "dpl/body/pixel_runs.h"
#include "dpl/cortex_m/affine_s16.h"

static void runs(const pixel_runs *given, const dpl_requant *q, const int16_t *input,
                 int16_t *out) {
    const pixel_runs r = *given;
    for (int32_t x = r.pixels; x > 0; x--, input += r.from_pitch, out += r.to_pitch) {
        requantize_halves(q, input, out, r.count);
    }
}
