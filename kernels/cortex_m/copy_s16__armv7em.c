/* Copy, int16, words at a time. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/run.h"
#include "dpl/move.h"

#define KERNEL dpl_copy_s16__armv7em
typedef dpl_copy_s16_args args;
typedef element source;

#include "dpl/body/copy.h"
