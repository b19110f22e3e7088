/* Bounds of int8 outputs that ssat does not have: depthwise convolutions share them. */
#include "dpl/body/s8.h"

#define KERNEL dpl_bound_rows_s8__armv7em
#include "dpl/cortex_m/bound_rows_body.h"
