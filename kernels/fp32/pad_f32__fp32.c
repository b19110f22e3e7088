/* Pad, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/move.h"

#define KERNEL dpl_pad_f32__fp32
typedef dpl_pad_f32_args args;

#include "dpl/body/pad.h"
