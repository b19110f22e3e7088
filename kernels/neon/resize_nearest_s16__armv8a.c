/* Resize, nearest, int16, in vectors. */
#include "dpl/body/s16.h"
#include "dpl/neon/run.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_nearest_s16__armv8a
typedef dpl_resize_s16_args args;

#include "dpl/body/resize_nearest.h"
