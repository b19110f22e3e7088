/* Depthwise 3x3 at stride 2 over transposed blocks, a pad of one column on the left: see
 * dpl/pulp/depthwise_strips.h. */
#include "dpl/pulp/depthwise_strips_by_2.inc"

    .text
    function dpl_depthwise_strips_by_2, 1, 0
    function dpl_depthwise_strips_by_2_bounded, 1, 1
