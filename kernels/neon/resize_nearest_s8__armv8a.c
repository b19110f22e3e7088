/* Resize, nearest, int8, in vectors. */
#include "dpl/body/s8.h"
#include "dpl/neon/run.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_nearest_s8__armv8a
typedef dpl_resize_s8_args args;

#include "dpl/body/resize_nearest.h"
