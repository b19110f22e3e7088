/* Rescale, int16 to int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s16_s8__ref
typedef dpl_rescale_s16_s8_args args;
typedef int16_t source;

#include "dpl/body/rescale.h"
