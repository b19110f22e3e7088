/* Conv2d of an image of one column as one of one row: the same bytes, and windows whose kernel rows
 * follow one another. Tiles are rows already. */
#include "dpl/conv2d.h"

static void lay(dpl_tensor_s8 *t) {
    t->width = t->height;
    t->height = 1;
    t->pixel_pitch = t->row_pitch;
    t->row_pitch *= t->width;
}

static void lay_window(dpl_window *w) {
    *w = (dpl_window){w->kernel_width,
                      w->kernel_height,
                      w->stride_width,
                      w->stride_height,
                      w->dilation_width,
                      w->dilation_height,
                      {w->pads.left, w->pads.top, w->pads.right, w->pads.bottom}};
}

void dpl_conv2d_s8__xpulpv2_column(const dpl_conv2d_s8_args *a) {
    if (a->window.kernel_width > 1 || a->input.width > 1 || a->output.width > 1) {
        dpl_conv2d_s8__xpulpv2(a);
        return;
    }
    dpl_conv2d_s8_args row = *a;
    lay(&row.input);
    lay(&row.output);
    lay_window(&row.window);
    dpl_conv2d_s8__xpulpv2(&row);
}
