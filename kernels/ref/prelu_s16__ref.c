/* PRelu, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_prelu_s16__ref
typedef dpl_prelu_s16_args args;

#include "dpl/body/prelu_pixel.h"

#include "dpl/body/prelu.h"
