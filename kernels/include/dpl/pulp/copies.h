/* Copies of windows (window_strip.S, window_columns.S). The assembler has the offsets, too. */
#ifndef DPL_PULP_COPIES_H
#define DPL_PULP_COPIES_H

#include <stdint.h>

/* What four windows cover where a side cuts one of them: a row for each kernel row. */
typedef struct {
    const int8_t *const *rows; /* where the input rows begin; null outside */
    const int8_t **runs;       /* set: the rows of the strip, and the first once more */
    int32_t count;             /* of rows */
    int8_t *to;                /* the strip */
    int32_t bytes;             /* of a row of it, whole words */
    const int8_t *zeros;       /* takes the place of rows that are outside */
    uint32_t zero;             /* a word of zero points */
    int32_t from, at;          /* bytes from a row's begin to what is inside, in input and strip */
    int32_t pairs, word, rest; /* of what is inside: pairs of words, whether a word, bytes */
    int32_t before, behind;    /* words of zero points, which what is inside may overwrite */
    int32_t behind_at;         /* bytes from a strip's row to those behind */
} dpl_strip;

void dpl_window_strip(const dpl_strip *s);

/* Copies of windows: a column each. */
typedef struct {
    const int8_t **runs; /* the kernel rows of the first window, and one more that is read */
    int32_t count;       /* of them */
    int32_t bytes;       /* of a row */
    int32_t step;        /* bytes from a window to the next */
    int8_t *to;          /* whole words */
    int32_t column;      /* bytes from a copy to the next, whole words */
    const int8_t *zeros; /* a run that is not moved on */
    int32_t pad;         /* bytes behind each row of a copy */
} dpl_columns;

/* The rows of four windows, one behind the other; what follows them in a column is left. Moves the
 * runs on to the next four. */
void dpl_window_columns(const dpl_columns *c);

#endif
