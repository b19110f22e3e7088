/* Conv2d, int8, one group, any window: columns of three pixels at a time, where a whole strip of
 * them has no room. The weights are read once for every three pixels. */
#include "dpl/conv2d.h"
#include "dpl/cortex_m/columns.h"
#include "dpl/cortex_m/high_s8.h"

#include "dpl/cortex_m/convolve.h"

void dpl_conv2d_s8__armv7em_triple(const dpl_conv2d_s8_args *a) {
    const convolution v = WHOLE_CONVOLUTION(a);
    convolution_plan p = plan_convolution(&v);
    p.sizes = (strip_sizes){1, a->output.channels};
    convolve_plan(&v, &p);
}
