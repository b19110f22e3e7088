/* Add and Sub of int16. */
#include "dpl/body/s16.h"
#include "dpl/elementwise.h"
#include "dpl/pulp/add.h"

#define KERNEL dpl_add_s16__xpulpv2
#define add_fours dpl_add_halves
#define bound_of (uint32_t)
typedef dpl_add_s16_args args;

#include "dpl/pulp/add_runs.h"
