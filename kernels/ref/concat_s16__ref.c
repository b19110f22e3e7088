/* Concat, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/concat.h"

#define KERNEL dpl_concat_s16__ref
typedef dpl_concat_s16_args args;
typedef dpl_concat_part_s16 part_args;

#include "dpl/body/concat_run.h"

#include "dpl/body/concat.h"
