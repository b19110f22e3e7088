/* Resize, nearest, int16, words at a time. */
#include "dpl/body/s16.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_nearest_s16__armv7em
typedef dpl_resize_s16_args args;

#include "dpl/cortex_m/resize_nearest.h"
