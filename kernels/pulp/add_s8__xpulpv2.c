/* Add and Sub of int8. */
#include "dpl/body/s8.h"
#include "dpl/elementwise.h"
#include "dpl/pulp/add.h"
#include "dpl/pulp/bytes.h"

#define KERNEL dpl_add_s8__xpulpv2
#define add_fours dpl_add_words
#define bound_of dpl_bytes_of
typedef dpl_add_s8_args args;

#include "dpl/pulp/add_runs.h"
