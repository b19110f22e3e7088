/* What a call states of its outputs. */
#ifndef DPL_NEON_STRIPES_H
#define DPL_NEON_STRIPES_H

#include <stdint.h>

#include "dpl/requant.h"

/* Every `step`th of the output's rows or columns from `first` on, `count` of them. */
typedef struct {
    int32_t first, step, count;
} stripes;

#ifndef SET_RULE
#define SET_RULE(V, A) ((V)->input_zero = (A)->input_zero, (V)->requant = &(A)->requant)
typedef const dpl_requant *output_rule;
#endif

#endif
