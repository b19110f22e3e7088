/* Rescale, int8 to int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s8_s16__ref
typedef dpl_rescale_s8_s16_args args;
typedef int8_t source;

#include "dpl/body/rescale.h"
