/* Depthwise 3x3 at stride 2 over transposed blocks, no pad on the left: see
 * dpl/pulp/depthwise_strips.h. */
#include "dpl/pulp/depthwise_strips_by_2.inc"

    .text
    function dpl_depthwise_strips_by_2_unpadded, 0, 0
    function dpl_depthwise_strips_by_2_unpadded_bounded, 0, 1
