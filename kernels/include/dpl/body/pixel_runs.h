/* Runs of neighbours, one a pixel or a row. */
#ifndef DPL_BODY_PIXEL_RUNS_H
#define DPL_BODY_PIXEL_RUNS_H

#include <stdint.h>

/* `pixels` runs of `count` elements, so far apart. */
typedef struct {
    int32_t from_pitch, to_pitch, count, pixels;
} pixel_runs;

#endif
