/* Runs of bytes at regular distances, copied or filled in words at any address (copy_runs.S,
 * fill_runs.S); elements that lie apart, gathered or scattered (gather_run.S, scatter_run.S). */
#ifndef DPL_PULP_RUNS_H
#define DPL_PULP_RUNS_H

#include <stdint.h>

/* count runs of bytes, from_pitch and to_pitch from a run to the next. A run has no byte in common
 * with what others are copied from. Nothing is done where bytes or count are 0. */
void dpl_copy_runs(int8_t *to, const int8_t *from, int32_t bytes, int32_t count, int32_t to_pitch,
                   int32_t from_pitch);

void dpl_fill_runs(int8_t *to, int32_t value, int32_t bytes, int32_t count, int32_t pitch);

/* to[i] = from[i * pitch] */
void dpl_gather_run(int8_t *to, const int8_t *from, int32_t count, int32_t pitch);

/* to[i * pitch] = from[i] */
void dpl_scatter_run(int8_t *to, const int8_t *from, int32_t count, int32_t pitch);

/* count pixels of `bytes` elements; where neither side has gaps, one run. */
static inline void dpl_copy_pixels(int8_t *to, const int8_t *from, int32_t bytes, int32_t count,
                                   int32_t to_pitch, int32_t from_pitch) {
    const int contiguous = to_pitch == bytes && from_pitch == bytes;
    dpl_copy_runs(to, from, contiguous ? count * bytes : bytes, contiguous ? 1 : count, to_pitch,
                  from_pitch);
}

static inline void dpl_fill_pixels(int8_t *to, int32_t value, int32_t bytes, int32_t count,
                                   int32_t pitch) {
    const int contiguous = pitch == bytes;
    dpl_fill_runs(to, value, contiguous ? count * bytes : bytes, contiguous ? 1 : count, pitch);
}

#endif
