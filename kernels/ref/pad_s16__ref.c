/* Pad, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/move.h"

#define KERNEL dpl_pad_s16__ref
typedef dpl_pad_s16_args args;

#include "dpl/body/pad.h"
