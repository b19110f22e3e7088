/* Resize, linear, int16. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s16__armv7em
typedef dpl_resize_s16_args args;

#define LOAD "ldrsh"
#define STORE "strh"
#define WORDS 1

#include "dpl/cortex_m/resize_linear.h"
