/* Pad, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/move.h"

#define KERNEL dpl_pad_s8__ref
typedef dpl_pad_s8_args args;

#include "dpl/body/pad.h"
