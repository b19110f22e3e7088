/* Resample, int16, portable. */
#include "dpl/body/s16.h"
#include "dpl/resample.h"

#define KERNEL dpl_resample_s16__ref
typedef dpl_resample_s16_args args;

#include "dpl/body/resample_run.h"

#include "dpl/body/resample.h"
