/* Rows or columns of an output that a call computes. */
#ifndef DPL_STRIPES_H
#define DPL_STRIPES_H

#include <stdint.h>

/* Every `step`th of the output's rows or columns from `first` on, `count` of them. */
typedef struct {
    int32_t first, step, count;
} stripes;

#endif
