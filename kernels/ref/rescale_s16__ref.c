/* Rescale, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s16__ref
typedef dpl_rescale_s16_args args;
typedef int16_t source;

#include "dpl/body/rescale.h"
