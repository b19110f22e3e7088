/* Pad, int16, words at a time. */
#include "dpl/body/s16.h"
#include "dpl/cortex_m/run.h"
#include "dpl/move.h"

#define KERNEL dpl_pad_s16__armv7em
typedef dpl_pad_s16_args args;

#include "dpl/body/pad.h"
