/* Copy, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/move.h"

#define KERNEL dpl_copy_f32__fp32
typedef dpl_copy_f32_args args;
typedef element source;

#include "dpl/body/copy.h"
