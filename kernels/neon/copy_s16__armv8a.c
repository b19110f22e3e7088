/* Copy, int16, in vectors. */
#include "dpl/body/s16.h"
#include "dpl/move.h"
#include "dpl/neon/run.h"

#define KERNEL dpl_copy_s16__armv8a
typedef dpl_copy_s16_args args;
typedef element source;

#include "dpl/body/copy.h"
