/* PRelu, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_prelu_s8__ref
typedef dpl_prelu_s8_args args;

#include "dpl/body/prelu_pixel.h"

#include "dpl/body/prelu.h"
