/* Runs of a part of a Concat of int8: by the rules i32 and shift four elements at a time, the last
 * of a run one by one. */
#include "dpl/body/pixel_runs.h"
#include "dpl/cortex_m/affine.h"

static void affine_runs(const pixel_runs *given, const affine *by, const int8_t *input,
                        int8_t *out) {
    const pixel_runs r = *given; /* a store of a byte could change the fields */
    const affine f = *by;
    const int32_t fours = r.count / 4;
    for (int32_t x = r.pixels; x > 0; x--, input += r.from_pitch, out += r.to_pitch) {
        if (fours > 0) {
            affine_x4(&f, input, out, fours);
        }
        for (int32_t i = 4 * fours; i < r.count; i++) {
            out[i] = (int8_t)saturate8(affine_value(&f, input[i]));
        }
    }
}

static void runs(const pixel_runs *r, const dpl_requant *q, const int8_t *input, int8_t *out) {
    if (is_affine(q, INT8_MIN, INT8_MAX)) {
        const affine f = affine_of(q);
        affine_runs(r, &f, input, out);
        return;
    }
    for (int32_t x = r->pixels; x > 0; x--, input += r->from_pitch, out += r->to_pitch) {
        requantize_each(q, input, out, r->count);
    }
}
