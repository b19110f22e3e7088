/* Conv2d 1x1 of an image of one pixel, as a fully connected layer: one window instead of four, of
 * which three would be thrown away. */
#include "dpl/conv2d.h"

#include "dpl/fully_connected.h"

void dpl_conv2d_s8__xpulpv2_pixel(const dpl_conv2d_s8_args *a) {
    const dpl_fully_connected_s8_args dense = {.input = a->input,
                                               .output = a->output,
                                               .weights = a->weights,
                                               .bias = a->bias,
                                               .requant = a->requant,
                                               .scratch = a->scratch};
    dpl_fully_connected_s8__xpulpv2(&dense);
}
