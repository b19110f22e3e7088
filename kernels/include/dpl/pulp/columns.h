/* Copies of windows whose rows are no whole words (window_columns.S). */
#ifndef DPL_PULP_COLUMNS_H
#define DPL_PULP_COLUMNS_H

#include <stdint.h>

/* The assembler has these offsets, too. */
typedef struct {
    const int8_t **runs; /* the kernel rows of the first window, and one more that is read */
    int32_t count;       /* of them */
    int32_t bytes;       /* of a row */
    int32_t step;        /* bytes from a window to the next */
    int8_t *to;          /* whole words */
    int32_t column;      /* bytes from a copy to the next, whole words */
} dpl_columns;

/* The rows of four windows, one behind the other; what follows them in a column is left. */
void dpl_window_columns(const dpl_columns *c);

#endif
