/* What the bodies of this folder are compiled for: int8 activations. A kernel's file includes this
 * or s16.h, names its argument struct `args` and its function `KERNEL`, and includes a body. */
#ifndef DPL_BODY_ACTIVATIONS_H
#define DPL_BODY_ACTIVATIONS_H

#include "dpl/tensor.h"
#include "dpl/window.h"

typedef int8_t element;
typedef dpl_tensor_s8 tensor;

enum { LOWEST = INT8_MIN, HIGHEST = INT8_MAX };

/* Macros: one more level of functions would make gcc inline in another order. */
#define row_of dpl_row_s8
#define shape_of(T) (*(T))
#define walk_rows dpl_walk_rows
#define taps_of_row dpl_taps_of_row
#define taps_of_column dpl_taps_of_column

#endif
