/* Resize, nearest, int8, words at a time. */
#include "dpl/body/s8.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_nearest_s8__armv7em
typedef dpl_resize_s8_args args;

#include "dpl/cortex_m/resize_nearest.h"
