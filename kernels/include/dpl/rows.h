/* An input that is not resident: its rows are requested when they are needed, downwards, each at
 * most once a run; but where the first layers run by stripes, each requests the last rows of the
 * one before again. */
#ifndef DPL_ROWS_H
#define DPL_ROWS_H

#include <stdint.h>

typedef struct {
    int32_t input; /* which of the network's inputs */
    int32_t first_row, count;
    int32_t row_bytes;
    int8_t *into; /* count * row_bytes bytes, to be filled before returning */
} dpl_rows;

typedef void (*dpl_row_source)(void *context, const dpl_rows *rows);

#endif
