/* Concat, int8: parts copied or brought to the output's scale. */
#include "dpl/body/s8.h"
#include "dpl/concat.h"
#include "dpl/neon/run.h"

/* behind the copies */
#include "dpl/neon/concat_runs.h"

#define KERNEL dpl_concat_s8__armv8a
typedef dpl_concat_s8_args args;
typedef dpl_concat_part part_args;

#include "dpl/body/concat.h"
