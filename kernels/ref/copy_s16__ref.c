/* Copy, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/move.h"

#define KERNEL dpl_copy_s16__ref
typedef dpl_copy_s16_args args;
typedef element source;

#include "dpl/body/copy.h"
