/* Copy, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/move.h"

#define KERNEL dpl_copy_s8__ref
typedef dpl_copy_s8_args args;
typedef element source;

#include "dpl/body/copy.h"
