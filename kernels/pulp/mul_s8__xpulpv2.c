/* Mul, four elements at a time by the rules i32 and shift. A single pixel on the right multiplies
 * each of the left. No restrict: the output may take an input's place. */
#include "dpl/elementwise.h"

#include "dpl/pulp/affine.h"
#include "dpl/pulp/mul.h"
#include "dpl/pulp/spans.h"

typedef dpl_mul_s8_args args;

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
    by_pixels(a, &r);
}
