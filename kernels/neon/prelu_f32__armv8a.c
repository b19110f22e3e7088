/* PRelu, float. A row of pixels of few channels takes PIXELS_OF_RUN of them at a time, by as many
 * copies of the slopes. */
#include "dpl/body/f32.h"
#include "dpl/cores.h"
#include "dpl/elementwise.h"
#include "dpl/neon/runs_f32.h"

typedef dpl_prelu_f32_args args;

enum { PIXELS_OF_RUN = 8, FEW_CHANNELS = 16 };

INLINED float32x4_t value(const float_bounds *bounds, float32x4_t x, float32x4_t slope) {
    const uint32x4_t below = vcltq_f32(x, vdupq_n_f32(0));
    return within(vbslq_f32(below, vmulq_f32(x, slope), x), bounds);
}

RUN_OF(run_values, float_bounds, value)

static void repeat(float *to, const float *slopes, int32_t channels) {
    for (int32_t i = 0, c = 0; i < PIXELS_OF_RUN * channels;
         i++, c = c + 1 < channels ? c + 1 : 0) {
        to[i] = slopes[c];
    }
}

/* A row in runs of `pixels` pixels. */
static void run_row(const args *a, const float *slopes, int32_t y, dpl_share channels,
                    int32_t pixels) {
    const int32_t width = a->output.width, count = channels.end - channels.begin;
    const float_bounds bounds = {a->low, a->high};
    const float *input = row_of(&a->input, y) + channels.begin;
    float *out = row_of(&a->output, y) + channels.begin;
    for (int32_t x = 0; x < width; x += pixels) {
        const int32_t rest = width - x < pixels ? width - x : pixels;
        run_values(&bounds, input, slopes, out, rest * count);
        input += pixels * a->input.pixel_pitch;
        out += pixels * a->output.pixel_pitch;
    }
}

void dpl_prelu_f32__armv8a(const args *a) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t count = part.channels.end - part.channels.begin;
    const int several =
        a->input.pixel_pitch == count && a->output.pixel_pitch == count && count < FEW_CHANNELS;
    const float *slopes = a->slopes + part.channels.begin;
    float copies[PIXELS_OF_RUN * FEW_CHANNELS];
    if (several) {
        repeat(copies, slopes, count);
        slopes = copies;
    }
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        run_row(a, slopes, y, part.channels, several ? PIXELS_OF_RUN : 1);
    }
}
