/* Mul, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_mul_s16__ref
typedef dpl_mul_s16_args args;

#include "dpl/body/mul_run.h"

#include "dpl/body/mul.h"
