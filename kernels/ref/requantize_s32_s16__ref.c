/* Sums to int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/sums.h"

#define KERNEL dpl_requantize_s32_s16__ref
typedef dpl_requantize_s32_s16_args args;

#include "dpl/body/requantize.h"
