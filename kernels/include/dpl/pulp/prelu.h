/* Runs of channels with a slope each, four at a time (prelu_runs.S). */
#ifndef DPL_PULP_PRELU_H
#define DPL_PULP_PRELU_H

#include <stdint.h>

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t *from;
    int8_t *out;                            /* may be from */
    int32_t words, runs;                    /* every run has the same channels */
    int32_t from_gap, out_gap;              /* bytes from the end of a run to the next */
    int32_t zero;                           /* what is taken off first */
    int32_t multiplier, rounding, shift;    /* from zero up */
    const int32_t *multipliers, *roundings; /* below, of each channel */
    const uint8_t *shifts;
    int32_t multiplier_step; /* bytes to the next channel's: 4, or 0 where all have one */
    uint32_t low, high;      /* in each byte */
    int32_t rest;            /* channels behind the words, less than four; one of both is not 0 */
} dpl_prelu_job;

void dpl_prelu_runs(const dpl_prelu_job *j);

#endif
