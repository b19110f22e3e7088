/* Transpose, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/transpose.h"

#define KERNEL dpl_transpose_s8__ref
typedef dpl_transpose_s8_args args;

#include "dpl/body/transpose.h"
