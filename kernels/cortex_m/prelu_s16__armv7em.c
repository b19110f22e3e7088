/* PRelu, int16. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_prelu_s16__armv7em
typedef dpl_prelu_s16_args args;

#define BYTES "2"
#define LOAD "ldrsh"
#define STORE "strh"
#define FROM_ZERO ""
#define LIMIT "16"

#include "dpl/cortex_m/prelu.h"
