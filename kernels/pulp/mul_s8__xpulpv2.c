/* Mul, four elements at a time by the rules i32 and shift. A single pixel on the right multiplies
 * each of the left, four channels at a time as a depthwise 1x1 does. No restrict: the output may
 * take an input's place. */
#include "dpl/elementwise.h"

#include "dpl/pulp/affine.h"
#include "dpl/pulp/depthwise_points.h"
#include "dpl/pulp/mul.h"
#include "dpl/pulp/spans.h"

typedef dpl_mul_s8_args args;

enum { GROUP = DPL_GROUP_CHANNELS };
enum { BEGIN = 5 }; /* pixels, of a group's cycles beside them */

/* What dpl_depthwise_points multiplies a channel by. */
typedef struct {
    int32_t weight, multiplier, addend, shift;
} factor;

/* What all factors follow from; the tables lie in slow memory. */
typedef struct {
    const int8_t *right;
    int32_t right_zero, left_zero;
    uint32_t multiplier, rounding;
    int32_t shift, low, high;
} factors;

static void run(const args *a, dpl_mul_run *r, const int8_t *left, const int8_t *right, int8_t *out,
                int32_t count) {
    int32_t done = 0;
    if (dpl_affine(&a->requant) && count >= 4) {
        r->left = left;
        r->right = right;
        r->out = out;
        r->words = count >> 2;
        dpl_mul_words(r);
        done = count & ~3;
    }
    for (; done < count; done++) {
        int32_t product = (left[done] - a->left_zero) * (right[done] - a->right_zero);
        out[done] = (int8_t)dpl_requantize(&a->requant, product, 0);
    }
}

/* Pixels of a row; without gaps between them one run. */
static void span(const args *a, dpl_mul_run *r, const dpl_pixels *p, int32_t count, int single) {
    const int32_t length = p->channels.end - p->channels.begin;
    const int8_t *left = dpl_span_start(&a->left, p),
                 *right = dpl_row_s8(&a->right, 0) + p->channels.begin;
    int8_t *out = dpl_span_start(&a->output, p);
    if (!single) {
        right = dpl_span_start(&a->right, p);
        if (a->left.pixel_pitch == length && a->right.pixel_pitch == length &&
            a->output.pixel_pitch == length) {
            run(a, r, left, right, out, count * length);
            return;
        }
    }
    for (; count > 0; count--) {
        run(a, r, left, right, out, length);
        left += a->left.pixel_pitch;
        right += single ? 0 : a->right.pixel_pitch;
        out += a->output.pixel_pitch;
    }
}

static factors factors_of(const args *a) {
    const dpl_requant *q = &a->requant;
    return (factors){.right = dpl_row_s8(&a->right, 0),
                     .right_zero = a->right_zero,
                     .left_zero = a->left_zero,
                     .multiplier = (uint32_t)(q->rule == DPL_I32 ? *q->multiplier : 1),
                     .rounding = (uint32_t)*q->rounding,
                     .shift = *q->shift,
                     .low = q->low,
                     .high = q->high};
}

/* (left - left_zero) * (right - right_zero) * multiplier + rounding as a product of left alone:
 * both wrap to the same. */
static inline factor factor_of(const factors *f, int32_t channel) {
    const uint32_t each = (uint32_t)(f->right[channel] - f->right_zero) * f->multiplier;
    const uint32_t addend = f->rounding - each * (uint32_t)f->left_zero;
    return (factor){1, (int32_t)each, (int32_t)addend, f->shift};
}

/* Channels of each pixel behind the last four; cores share rows, or the pixels of one. */
static void rest(const args *a, const factors *known, int32_t first) {
    const dpl_share all = {0, a->output.width}, one = {0, 1};
    const int tall = a->output.height > 1;
    const dpl_share rows = tall ? dpl_core_share(a->output.height) : one;
    const dpl_share columns = tall ? all : dpl_core_share(a->output.width);
    for (int32_t c = first; c < a->output.channels; c++) {
        const factor f = factor_of(known, c);
        for (int32_t y = rows.begin; y < rows.end; y++) {
            const int8_t *from = dpl_row_s8(&a->left, y) + columns.begin * a->left.pixel_pitch + c;
            int8_t *to = dpl_row_s8(&a->output, y) + columns.begin * a->output.pixel_pitch + c;
            for (int32_t x = columns.begin; x < columns.end; x++) {
                const uint32_t product = (uint32_t)*from * (uint32_t)f.multiplier;
                const int32_t scaled = (int32_t)(product + (uint32_t)f.addend) >> f.shift;
                *to = (int8_t)dpl_clamp(scaled, known->low, known->high);
                from += a->left.pixel_pitch;
                to += a->output.pixel_pitch;
            }
        }
    }
}

static void by_channels(const args *a) {
    const factors known = factors_of(a);
    factor four[GROUP];
    dpl_depthwise_points_job j;
    dpl_points_enter(&j, &a->left, &a->output);
    j.low = dpl_bytes_of(a->requant.low);
    j.high = dpl_bytes_of(a->requant.high);
    j.weights = (const int8_t *)(const void *)four;
    j.groups = 1;
    const int32_t groups = a->output.channels / GROUP;
    dpl_share part = dpl_points_share(&j, groups, BEGIN);
    if (j.pixels > 0 && j.lines > 0) {
        for (int32_t g = part.begin; g < part.end; g++, j.from += GROUP, j.out += GROUP) {
            for (int32_t i = 0; i < GROUP; i++) {
                four[i] = factor_of(&known, GROUP * g + i);
            }
            dpl_depthwise_points(&j);
        }
    }
    rest(a, &known, GROUP * groups);
}

static void by_pixels(const args *a, dpl_mul_run *r) {
    const int single = a->right.height == 1 && a->right.width == 1;
    dpl_pixels p = dpl_pixels_of(&a->output);
    while (p.left > 0) {
        const int32_t count = dpl_span_count(&p, &a->output);
        span(a, r, &p, count, single);
        dpl_pixels_next(&p, &a->output, count);
    }
}

void dpl_mul_s8__xpulpv2(const dpl_mul_s8_args *a) {
    const dpl_requant *q = &a->requant;
    dpl_mul_run r = {.left_zero = a->left_zero,
                     .right_zero = a->right_zero,
                     .multiplier = q->rule == DPL_I32 ? *q->multiplier : 1,
                     .rounding = *q->rounding,
                     .shift = *q->shift,
                     .low = dpl_bytes_of(q->low),
                     .high = dpl_bytes_of(q->high)};
    const int pixel = a->right.height < a->output.height || a->right.width < a->output.width;
    if (!pixel && dpl_without_gaps(&a->left) && dpl_without_gaps(&a->right) &&
        dpl_without_gaps(&a->output)) {
        const dpl_share part = dpl_share_elements(&a->output);
        const int32_t at = part.begin;
        run(a, &r, a->left.data + at, a->right.data + at, a->output.data + at, part.end - at);
        return;
    }
    if (pixel && dpl_affine(q) && (a->left.ring_height | a->output.ring_height) == 0) {
        by_channels(a);
        return;
    }
    by_pixels(a, &r);
}
