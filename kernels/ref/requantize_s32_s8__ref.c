/* Sums to int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/sums.h"

#define KERNEL dpl_requantize_s32_s8__ref
typedef dpl_requantize_s32_s8_args args;

#include "dpl/body/requantize.h"
