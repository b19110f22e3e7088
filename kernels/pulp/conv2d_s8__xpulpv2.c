/* Conv2d of one group, any window: four pixels by four channels, read where they lie.
 *
 * Cores share blocks times groups of channels, so that each has as many as any other but one. */
#include "dpl/conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/windows.h"

typedef dpl_conv2d_s8_args args;

static dpl_fours_layer layer_of(const args *a) {
    int32_t filter = a->window.kernel_height * a->window.kernel_width * a->input.channels;
    dpl_fours_layer l = {a->bias, &a->requant, a->output.channels,
                         FOUR * dpl_whole_words(filter) + FOUR_TABLES};
    return l;
}

static dpl_pixel pixel_at(const args *a, const dpl_windows *w, int32_t number) {
    dpl_pixel p = {.y = number / a->output.width};
    p.x = number - p.y * a->output.width;
    dpl_enter_row(a, w, &p);
    return p;
}

/* Items begin to end - 1, item block * groups + group; at least one. */
static void run_items(const args *a, const dpl_fours_layer *l, dpl_share items, int32_t groups) {
    const int32_t pixels = a->output.height * a->output.width;
    const dpl_windows w = dpl_windows_of(a, dpl_core_id());
    int32_t block = items.begin / groups, group = items.begin - block * groups;
    dpl_pixel p = pixel_at(a, &w, FOUR * block);
    dpl_four_windows f;
    dpl_fours_bounds(&f, &a->requant);
    for (int32_t item = items.begin; item < items.end; group = 0, block++) {
        int32_t left = pixels - FOUR * block, more = items.end - item;
        int32_t end = more < groups - group ? group + more : groups;
        dpl_point_block(a, &w, &p, left < FOUR ? left : FOUR, &f);
        dpl_fours_groups(&f, l, a->weights, group, end);
        item += end - group;
        if (item < items.end) {
            dpl_next_pixel(a, &w, &p);
        }
    }
}

void dpl_conv2d_s8__xpulpv2(const dpl_conv2d_s8_args *a) {
    const dpl_fours_layer l = layer_of(a);
    const int32_t groups = (l.channels + FOUR - 1) / FOUR;
    const int32_t blocks = (a->output.height * a->output.width + FOUR - 1) / FOUR;
    const dpl_share items = dpl_core_share(blocks * groups);
    if (items.begin < items.end) {
        run_items(a, &l, items, groups);
    }
}
