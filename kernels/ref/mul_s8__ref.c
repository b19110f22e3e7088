/* Mul, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"

#define KERNEL dpl_mul_s8__ref
typedef dpl_mul_s8_args args;

#include "dpl/body/mul_run.h"

#include "dpl/body/mul.h"
