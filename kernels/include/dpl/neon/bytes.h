/* Tensors of any type as bytes. */
#ifndef DPL_NEON_BYTES_H
#define DPL_NEON_BYTES_H

#include "dpl/tensor.h"

/* Of `T`, a tensor of any type. */
#define AS_BYTES(T)                                                                                \
    {                                                                                              \
        (int8_t *)(void *)(T).data, (T).height, (T).width, (T).channels *ELEMENT_BYTES,            \
            (T).row_pitch *ELEMENT_BYTES, (T).pixel_pitch *ELEMENT_BYTES, (T).ring_height,         \
            (T).first_row                                                                          \
    }

#endif
