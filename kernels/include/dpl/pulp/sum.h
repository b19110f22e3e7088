/* Sums over taps, four channels at a time (sum_run.S). */
#ifndef DPL_PULP_SUM_H
#define DPL_PULP_SUM_H

#include <stdint.h>

/* Adds count taps of four channels, pitch bytes apart, to sums. */
void dpl_sum_run(const int8_t *from, int32_t pitch, int32_t count, int32_t *sums);

#endif
