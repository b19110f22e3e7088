/* Copy, int8, in vectors. */
#include "dpl/body/s8.h"
#include "dpl/move.h"
#include "dpl/neon/run.h"

#define KERNEL dpl_copy_s8__armv8a
typedef dpl_copy_s8_args args;
typedef element source;

#include "dpl/body/copy.h"
