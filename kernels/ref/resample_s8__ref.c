/* Resample, int8, portable. */
#include "dpl/body/s8.h"
#include "dpl/resample.h"

#define KERNEL dpl_resample_s8__ref
typedef dpl_resample_s8_args args;

#include "dpl/body/resample_run.h"

#include "dpl/body/resample.h"
