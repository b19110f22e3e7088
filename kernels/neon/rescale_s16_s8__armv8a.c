/* Rescale, int16 to int8. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s16_s8__armv8a
typedef dpl_rescale_s16_s8_args args;
typedef int16_t source;

#include "dpl/neon/rescale.h"
