/* Transpose, float, portable. */
#include "dpl/body/f32.h"
#include "dpl/transpose.h"

#define KERNEL dpl_transpose_f32__fp32
typedef dpl_transpose_f32_args args;

#include "dpl/body/transpose.h"
