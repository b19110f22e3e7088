/* Rescale, int16. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s16__armv8a
typedef dpl_rescale_s16_args args;
typedef int16_t source;

#include "dpl/neon/rescale.h"
