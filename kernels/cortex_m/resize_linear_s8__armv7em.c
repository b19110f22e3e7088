/* Resize, linear, int8. */
#include "dpl/body/s8.h"
#include "dpl/cortex_m/simd.h"
#include "dpl/resize.h"

#define KERNEL dpl_resize_linear_s8__armv7em
typedef dpl_resize_s8_args args;

#define LOAD "ldrsb"
#define STORE "strb"
#define WORDS 0

#include "dpl/cortex_m/resize_linear.h"
