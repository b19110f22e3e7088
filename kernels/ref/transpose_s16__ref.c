/* Transpose, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/transpose.h"

#define KERNEL dpl_transpose_s16__ref
typedef dpl_transpose_s16_args args;

#include "dpl/body/transpose.h"
