/* Concat, int16: parts copied or brought to the output's scale. */
#include "dpl/body/s16.h"
#include "dpl/concat.h"
#include "dpl/neon/run.h"

/* behind the copies */
#include "dpl/neon/concat_runs.h"

#define KERNEL dpl_concat_s16__armv8a
typedef dpl_concat_s16_args args;
typedef dpl_concat_part_s16 part_args;

#include "dpl/body/concat.h"
