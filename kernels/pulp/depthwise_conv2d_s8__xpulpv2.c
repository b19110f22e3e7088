/* DepthwiseConv2d: 3x3 by depthwise_s8_3x3__xpulpv2.c, dilated windows as phases, which are 3x3
 * then, others by dpl/pulp/depthwise_any.h. */
#include "dpl/depthwise_conv2d.h"

#include "dpl/cores.h"
#include "dpl/pulp/depthwise_any.h"
#include "dpl/pulp/depthwise_by_3x3.h"
#include "dpl/pulp/phases.h"

typedef dpl_depthwise_conv2d_s8_args args;

static int32_t fewer(int32_t phases, int32_t outputs) {
    return phases == 0 ? 1 : dpl_least(phases, outputs);
}

_Static_assert(sizeof(args) <= DPL_PHASE_ROOM_BYTES, "room in scratch");

/* Windows of a loop of its own, and those that have but one phase; the general loop takes others as
 * they are. Each core's arguments of a phase are in scratch, before what kernels need. */
__attribute__((noinline)) static void by_phases(const args *a) {
    const dpl_window *w = &a->window;
    const int32_t rows = dpl_phases(w->dilation_height, w->stride_height);
    const int32_t columns = dpl_phases(w->dilation_width, w->stride_width);
    int8_t *room = (int8_t *)a->scratch + dpl_core_id() * DPL_PHASE_ROOM_BYTES;
    args *phase = (args *)(void *)room;
    dpl_phase_of(a, 0, 0, phase);
    dpl_run_3x3 *run = dpl_run_of(phase);
    if (!run) {
        dpl_depthwise_any(rows <= 1 && columns <= 1 ? phase : a);
        return;
    }
    for (int32_t y = 0; y < fewer(rows, a->output.height); y++) {
        for (int32_t x = 0; x < fewer(columns, a->output.width); x++) {
            dpl_phase_of(a, y, x, phase);
            dpl_depthwise_s8_3x3__xpulpv2(phase, run);
        }
    }
}

/* Apart, as above. */
__attribute__((noinline)) static void others(const args *a) {
    const int dilated = a->window.dilation_height > 1 || a->window.dilation_width > 1;
    if (dilated && (a->input.ring_height | a->output.ring_height) == 0) {
        by_phases(a);
    } else {
        dpl_depthwise_any(a);
    }
}

void dpl_depthwise_conv2d_s8__xpulpv2(const dpl_depthwise_conv2d_s8_args *a) {
    dpl_run_3x3 *run = dpl_run_of(a);
    if (run) {
        dpl_depthwise_s8_3x3__xpulpv2(a, run);
    } else {
        others(a);
    }
}
