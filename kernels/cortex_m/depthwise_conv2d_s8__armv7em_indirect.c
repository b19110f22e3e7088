/* DepthwiseConv2d, int8, any window, pixel after pixel (dpl/cortex_m/indirect.h): small planes,
 * large strides, and a window of one tap, which is a batch normalization of its own.
 *
 * All pixels of a row whose windows lie inside share a list of taps: zero points do not move with
 * the pixel. */
#include "dpl/body/s8.h"
#include "dpl/cores.h"
#include "dpl/cortex_m/bound_rows.h"
#include "dpl/cortex_m/indirect.h"
#include "dpl/depthwise_conv2d.h"

typedef struct {
    const dpl_depthwise_conv2d_s8_args *a;
    int32_t taps;
    int32_t group;          /* words of weights of four channels */
    int32_t inside, beyond; /* columns of the output whose windows lie inside, and the one behind */
    int high;               /* by the high-word rule in assembly; bounds come behind */
    int32_t *rows; /* of taps, as elements from the input's first: BEYOND for those outside */
    int32_t *list; /* of taps */
    int8_t *zeros; /* a pixel of zero points */
} plan;

enum { BEYOND = INT32_MIN };

static plan plan_of(const dpl_depthwise_conv2d_s8_args *a) {
    const dpl_window *w = &a->window;
    const int32_t reach = (w->kernel_width - 1) * w->dilation_width;
    const int32_t free = a->input.width + w->pads.left - reach;
    plan p = {.a = a, .taps = w->kernel_height * w->kernel_width, .rows = a->scratch};
    p.group = 2 * p.taps + 2 * FOUR;
    p.inside = (w->pads.left + w->stride_width - 1) / w->stride_width;
    p.beyond = free > 0 ? (free + w->stride_width - 1) / w->stride_width : 0;
#if defined(__ARM_FEATURE_DSP)
    p.high = a->requant.rule == DPL_Q32;
#endif
    p.list = p.rows + w->kernel_height;
    p.zeros = (int8_t *)(p.list + p.taps + 2);
    for (int32_t c = 0; c < a->input.channels; c++) {
        p.zeros[c] = (int8_t)a->input_zero;
    }
    return p;
}

/* Offsets of the rows of taps of output row y; whether all lie inside. */
static int find_rows(const plan *p, int32_t y) {
    const dpl_window *w = &p->a->window;
    const dpl_tensor_s8 *input = &p->a->input;
    int32_t row = y * w->stride_height - w->pads.top, all = 1;
    for (int32_t r = 0; r < w->kernel_height; r++, row += w->dilation_height) {
        const int is_inside = row >= 0 && row < input->height;
        p->rows[r] = is_inside ? (int32_t)(dpl_row_s8(input, row) - input->data) : BEYOND;
        all &= is_inside;
    }
    return all;
}

/* What leads from the input's first element to the zero points. */
static inline int32_t zeros_offset(const plan *p) {
#if defined(__ARM_FEATURE_DSP)
    return p->zeros - p->a->input.data;
#else
    (void)p;
    return BEYOND;
#endif
}

/* The taps of the pixel in column x, and the last of them twice more, which loops read. */
static void list_taps(const plan *p, int32_t x) {
    const dpl_window *w = &p->a->window;
    const int32_t pitch = p->a->input.pixel_pitch, step = w->dilation_width * pitch;
    const int32_t zeros = zeros_offset(p), first = x * w->stride_width - w->pads.left;
    int32_t *to = p->list;
    for (int32_t r = 0; r < w->kernel_height; r++) {
        const int32_t row = p->rows[r], beyond = row == BEYOND;
        int32_t offset = (beyond ? 0 : row) + first * pitch, column = first;
        for (int32_t k = w->kernel_width; k > 0; k--, offset += step) {
            const int is_inside = column >= 0 && column < p->a->input.width;
            *to++ = !beyond && is_inside ? offset : zeros;
            column += w->dilation_width;
        }
    }
    to[0] = to[1] = to[-1];
}

static inline const int8_t *tap_at(const plan *p, const int8_t *at, int32_t offset, int32_t c) {
#if defined(__ARM_FEATURE_DSP)
    (void)p, (void)c;
    return at + offset;
#else
    return offset == BEYOND ? p->zeros + c : at + offset;
#endif
}

/* Four channels from c on, in C: by any rule. */
static void four_in_c(const plan *p, const pixel_run *r, int32_t c) {
    int32_t sums[FOUR] = {r->w[0], r->w[1], r->w[2], r->w[3]};
    const int16_t *w = (const int16_t *)(r->w + FOUR);
    for (int32_t t = 0; t < p->taps; t++, w += FOUR) {
        const int8_t *x = tap_at(p, r->at, p->list[t], c);
        sums[0] += x[0] * w[0];
        sums[1] += x[1] * w[2];
        sums[2] += x[2] * w[1];
        sums[3] += x[3] * w[3];
    }
    for (int32_t i = 0; i < FOUR; i++) {
        r->out[i] = (int8_t)dpl_requantize(&p->a->requant, sums[i], c + i);
    }
}

/* All channels of the pixel whose list it is. */
static void run_channels(const plan *p, pixel_run *r) {
    const int32_t channels = p->a->output.channels;
#if defined(__ARM_FEATURE_DSP)
    if (p->high) {
        r->end = r->at + channels;
        run_pixel(r, p->list);
        return;
    }
#endif
    for (int32_t c = 0; c < channels; c += FOUR, r->at += FOUR, r->out += FOUR, r->w += p->group) {
        four_in_c(p, r, c);
    }
}

static void run_row(const plan *p, int32_t y) {
    const dpl_depthwise_conv2d_s8_args *a = p->a;
    const int32_t *weights = (const int32_t *)(const void *)a->weights;
    const int32_t step = a->window.stride_width * a->input.pixel_pitch;
    int8_t *out = dpl_row_s8(&a->output, y);
    const int8_t *at = a->input.data;
    const int all = find_rows(p, y);
    for (int32_t x = 0; x < a->output.width; x++, out += a->output.pixel_pitch) {
        const int shares = all && x > p->inside && x < p->beyond;
        at = shares ? at + step : a->input.data;
        if (!shares) {
            list_taps(p, x);
        }
        pixel_run r = {weights, at, 0, out, p->taps, addend_below(&a->requant)};
        run_channels(p, &r);
    }
}

void dpl_depthwise_conv2d_s8__armv7em_indirect(const dpl_depthwise_conv2d_s8_args *a) {
    const plan p = plan_of(a);
    const dpl_share share = dpl_core_share(a->output.height);
    for (int32_t y = share.begin; y < share.end; y++) {
        run_row(&p, y);
    }
    if (p.high) {
        bound_rows(&a->output, &a->requant);
    }
}
