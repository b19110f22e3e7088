/* Concat, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/concat.h"

#define KERNEL dpl_concat_s8__ref
typedef dpl_concat_s8_args args;
typedef dpl_concat_part part_args;

#include "dpl/body/concat_run.h"

#include "dpl/body/concat.h"
