/* Sums of a layer to outputs of int16. */
#include "dpl/body/s16.h"
#include "dpl/sums.h"

#define KERNEL dpl_requantize_s32_s16__armv8a
typedef dpl_requantize_s32_s16_args args;

#include "dpl/neon/requantize.h"
