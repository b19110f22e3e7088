/* Add and Sub, four elements at a time. Cores share the words of tensors without gaps, else rows or
 * channels. No restrict: the output may take an input's place. */
#include "dpl/elementwise.h"

#include "dpl/cores.h"
#include "dpl/pulp/add.h"
#include "dpl/pulp/bytes.h"

typedef dpl_add_s8_args args;

static void run(const args *a, dpl_add_run *r, const int8_t *left, const int8_t *right, int8_t *out,
                int32_t count) {
    const int32_t words = count >> 2;
    if (words > 0) {
        r->left = left;
        r->right = right;
        r->out = out;
        r->words = words;
        dpl_add_words(r);
    }
    for (int32_t i = 4 * words; i < count; i++) {
        int32_t sum = left[i] * a->multiplier[0] + right[i] * a->multiplier[1] + a->rounding;
        out[i] = (int8_t)dpl_clamp(sum >> a->shift, a->low, a->high);
    }
}

static int whole(const dpl_tensor_s8 *t) {
    return t->pixel_pitch == t->channels && t->row_pitch == t->width * t->channels &&
           t->ring_height == 0;
}

/* Tensors without gaps: this core's words, the last core's with what remains. */
static void one_run(const args *a, dpl_add_run *r) {
    const int32_t count = a->output.height * a->output.width * a->output.channels;
    const dpl_share words = dpl_core_share(count >> 2);
    const int32_t begin = 4 * words.begin;
    const int32_t end = dpl_core_id() == DPL_CORE_COUNT - 1 ? count : 4 * words.end;
    if (begin < end) {
        run(a, r, a->left.data + begin, a->right.data + begin, a->output.data + begin, end - begin);
    }
}

static void by_pixels(const args *a, dpl_add_run *r) {
    const dpl_part part = dpl_core_part(a->output.height, a->output.channels);
    const int32_t first = part.channels.begin, count = part.channels.end - first;
    for (int32_t y = part.rows.begin; y < part.rows.end; y++) {
        const int8_t *left = dpl_row_s8(&a->left, y) + first;
        const int8_t *right = dpl_row_s8(&a->right, y) + first;
        int8_t *out = dpl_row_s8(&a->output, y) + first;
        for (int32_t x = 0; x < a->output.width; x++) {
            run(a, r, left, right, out, count);
            left += a->left.pixel_pitch;
            right += a->right.pixel_pitch;
            out += a->output.pixel_pitch;
        }
    }
}

void dpl_add_s8__xpulpv2(const dpl_add_s8_args *a) {
    dpl_add_run r = {.multiplier = {a->multiplier[0], a->multiplier[1]},
                     .rounding = a->rounding,
                     .shift = a->shift,
                     .low = dpl_bytes_of(a->low),
                     .high = dpl_bytes_of(a->high)};
    if (whole(&a->left) && whole(&a->right) && whole(&a->output)) {
        one_run(a, &r);
    } else {
        by_pixels(a, &r);
    }
}
