/* Runs of a part of a Concat, by any rule. */
#include "dpl/body/pixel_runs.h"

typedef element source;

#include "dpl/neon/affine.h"

static void runs(const pixel_runs *r, const dpl_requant *q, const element *input, element *out) {
    const constants k = constants_of(q, 0);
    for (int32_t x = r->pixels; x > 0; x--, input += r->from_pitch, out += r->to_pitch) {
        run_elements(q->rule, &k, input, input, out, r->count);
    }
}
