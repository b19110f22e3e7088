/* Runs of a part of a Concat, by any rule. */
#include "dpl/body/pixel_runs.h"

typedef element source;

#include "dpl/neon/affine.h"

enum { HELD = 256, FEW_CHANNELS = 32 };

/* Pixels of few channels that follow one another: several at a time, then to where each belongs. */
static void few_channels(const pixel_runs *r, dpl_rule rule, const constants *k,
                         const element *input, element *out) {
    element held[HELD];
    const int32_t count = r->count, most = HELD / count;
    for (int32_t left = r->pixels; left > 0; left -= most) {
        const int32_t pixels = left < most ? left : most;
        run_elements(rule, k, input, input, held, pixels * count);
        copy_each(out, r->to_pitch, held, count, count, pixels);
        input += pixels * count;
        out += pixels * r->to_pitch;
    }
}

static void runs(const pixel_runs *r, const dpl_requant *q, const element *input, element *out) {
    const constants k = constants_of(q, 0);
    if (r->pixels > 1 && r->from_pitch == r->count && r->count <= FEW_CHANNELS) {
        few_channels(r, q->rule, &k, input, out);
        return;
    }
    for (int32_t x = r->pixels; x > 0; x--, input += r->from_pitch, out += r->to_pitch) {
        run_elements(q->rule, &k, input, input, out, r->count);
    }
}
