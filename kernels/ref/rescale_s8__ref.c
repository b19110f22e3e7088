/* Rescale, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_rescale_s8__ref
typedef dpl_rescale_s8_args args;
typedef int8_t source;

#include "dpl/body/rescale.h"
