/* Add and Sub of int16, four elements at a time. Cores share rows, or channels where rows are few;
 * a row without gaps is one run. No restrict: the output may take an input's place. */
#include "dpl/elementwise.h"

#include "dpl/cores.h"
#include "dpl/pulp/add.h"

typedef dpl_add_s16_args args;

static void run(const args *a, dpl_add_run *r, const int16_t *left, const int16_t *right,
                int16_t *out, int32_t count) {
    r->words = count >> 2;
    if (r->words > 0) {
        r->left = (const int8_t *)left;
        r->right = (const int8_t *)right;
        r->out = (int8_t *)out;
        dpl_add_halves(r);
    }
    for (int32_t i = 4 * r->words; i < count; i++) {
        int32_t sum = left[i] * a->multiplier[0] + right[i] * a->multiplier[1] + a->rounding;
        out[i] = (int16_t)dpl_clamp(sum >> a->shift, a->low, a->high);
    }
}

static int contiguous(const args *a, int32_t count) {
    return a->left.pixel_pitch == count && a->right.pixel_pitch == count &&
           a->output.pixel_pitch == count;
}

void dpl_add_s16__xpulpv2(const dpl_add_s16_args *a) {
    dpl_add_run r = {.multiplier = {a->multiplier[0], a->multiplier[1]},
                     .rounding = a->rounding,
                     .shift = a->shift,
                     .low = (uint32_t)a->low,
                     .high = (uint32_t)a->high};
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    const int32_t pixels = contiguous(a, count) ? 1 : a->output.width;
    const int32_t length = contiguous(a, count) ? a->output.width * count : count;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int16_t *left = dpl_row_s16(&a->left, y) + first;
        const int16_t *right = dpl_row_s16(&a->right, y) + first;
        int16_t *out = dpl_row_s16(&a->output, y) + first;
        for (int32_t x = 0; x < pixels; x++) {
            run(a, &r, left, right, out, length);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}
