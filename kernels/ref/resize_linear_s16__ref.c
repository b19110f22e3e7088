/* Resize, linear, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s16__ref
typedef dpl_resize_s16_args args;

#include "dpl/body/resize_linear_pixel.h"

#include "dpl/body/resize_linear.h"
