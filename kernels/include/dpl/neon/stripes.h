/* What a call states of its outputs. */
#ifndef DPL_NEON_STRIPES_H
#define DPL_NEON_STRIPES_H

#include "dpl/requant.h"
#include "dpl/stripes.h"

#ifndef SET_RULE
#define SET_RULE(V, A) ((V)->input_zero = (A)->input_zero, (V)->requant = &(A)->requant)
typedef const dpl_requant *output_rule;
#endif

#endif
