/* Sums of a layer to outputs of int8. */
#include "dpl/body/s8.h"
#include "dpl/sums.h"

#define KERNEL dpl_requantize_s32_s8__armv8a
typedef dpl_requantize_s32_s8_args args;

#include "dpl/neon/requantize.h"
