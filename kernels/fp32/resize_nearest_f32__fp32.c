/* Resize, nearest, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_nearest_f32__fp32
typedef dpl_resize_f32_args args;

#include "dpl/body/resize_nearest.h"
