/* Resize, linear, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s8__ref
typedef dpl_resize_s8_args args;

#include "dpl/body/resize_linear_pixel.h"

#include "dpl/body/resize_linear.h"
