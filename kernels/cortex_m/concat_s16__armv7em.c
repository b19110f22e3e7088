/* Concat, int16: parts copied in words or requantized two elements of a word at a time. */
#include "dpl/body/s16.h"
#include "dpl/concat.h"
#include "dpl/cortex_m/concat_runs_s16.h"
#include "dpl/cortex_m/run.h"

#define KERNEL dpl_concat_s16__armv7em
typedef dpl_concat_s16_args args;
typedef dpl_concat_part_s16 part_args;

#include "dpl/body/concat.h"
