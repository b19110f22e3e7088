/* Add and Sub, four elements at a time. Cores share the fours of tensors without gaps, else rows or
 * channels. No restrict: the output may take an input's place.
 *
 * Before it: dpl/body/s8.h or s16.h, args, KERNEL, `add_fours` and `bound_of` (dpl/pulp/add.h). */
#include "dpl/cores.h"
#include "dpl/pulp/pixels.h"

static void run(const args *a, dpl_add_run *r, const element *left, const element *right,
                element *out, int32_t count) {
    const int32_t fours = count >> 2;
    if (fours > 0) {
        r->left = (const int8_t *)left;
        r->right = (const int8_t *)right;
        r->out = (int8_t *)out;
        r->words = fours;
        add_fours(r);
    }
    for (int32_t i = 4 * fours; i < count; i++) {
        int32_t sum = left[i] * a->multiplier[0] + right[i] * a->multiplier[1] + a->rounding;
        out[i] = (element)dpl_clamp(sum >> a->shift, a->low, a->high);
    }
}

static int whole(const tensor *t) {
    return t->pixel_pitch == t->channels && t->row_pitch == t->width * t->channels &&
           t->ring_height == 0;
}

static void by_pixels(const args *a, dpl_add_run *r) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const element *left = row_of(&a->left, y) + first;
        const element *right = row_of(&a->right, y) + first;
        element *out = row_of(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++) {
            run(a, r, left, right, out, count);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

void KERNEL(const args *a) {
    dpl_add_run r = {.multiplier = {a->multiplier[0], a->multiplier[1]},
                     .rounding = a->rounding,
                     .shift = a->shift,
                     .low = bound_of(a->low),
                     .high = bound_of(a->high)};
    if (!whole(&a->left) || !whole(&a->right) || !whole(&a->output)) {
        by_pixels(a, &r);
        return;
    }
    const dpl_share part = dpl_share_words(a->output.height * a->output.width * a->output.channels);
    const int32_t at = part.begin;
    run(a, &r, a->left.data + at, a->right.data + at, a->output.data + at, part.end - at);
}
