/* Concat, int8: parts copied in words or requantized four elements at a time. */
#include "dpl/body/s8.h"
#include "dpl/concat.h"
#include "dpl/cortex_m/concat_runs_s8.h"
#include "dpl/cortex_m/run.h"

#define KERNEL dpl_concat_s8__armv7em
typedef dpl_concat_s8_args args;
typedef dpl_concat_part part_args;

#include "dpl/body/concat.h"
