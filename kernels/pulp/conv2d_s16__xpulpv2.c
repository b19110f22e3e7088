/* Conv2d, int16, two products at a time: windows that no side cuts by dpl/pulp/interior.h, others
 * by dpl/pulp/wide.h. */
#include "dpl/conv2d.h"

#include "dpl/pulp/conv2d_interior_s16.h"
#include "dpl/pulp/wide.h"

/* Whether the taps of kernel rows follow one another, in the weights as in the input. */
static int has_whole_rows(const dpl_conv2d_s16_args *a) {
    const dpl_window *w = &a->window;
    const int follow = w->dilation_width == 1 && a->input.pixel_pitch == a->input.channels;
    const int cut = (w->pads.left | w->pads.right) != 0;
    return w->kernel_width > 1 && follow && !cut && a->groups == 1 && !(a->input.channels & 1);
}

/* Apart, so that others have not its stack, too. */
static __attribute__((noinline)) void any(const dpl_conv2d_s16_args *a) {
    dpl_wide w;
    DPL_WIDE_ARGUMENTS(&w, a);
    w.whole = has_whole_rows(a);
    w.inputs = a->input.channels / a->groups;
    w.outputs = a->output.channels / a->groups;
    w.multiplier = 0;
    w.run = dpl_four_by_four_s16;
    w.sums = dpl_four_by_four_s16_sums;
    dpl_wide_init(&w, a->scratch, (w.inputs + 1) >> 1);
    dpl_wide_run(&w, a->groups, w.inputs);
}

void dpl_conv2d_s16__xpulpv2(const dpl_conv2d_s16_args *a) {
    if (!dpl_conv2d_s16_interior__xpulpv2(a)) {
        any(a);
    }
}
