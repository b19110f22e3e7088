/* Rescale, int8 to int16. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s8_s16__armv8a
typedef dpl_rescale_s8_s16_args args;
typedef int8_t source;

#include "dpl/neon/rescale.h"
