/* Rescale, int8. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s8__armv8a
typedef dpl_rescale_s8_args args;
typedef int8_t source;

#include "dpl/neon/rescale.h"
