/* Pad, int8, in vectors. */
#include "dpl/body/s8.h"
#include "dpl/move.h"
#include "dpl/neon/run.h"

#define KERNEL dpl_pad_s8__armv8a
typedef dpl_pad_s8_args args;

#include "dpl/body/pad.h"
