/* Tensors of any type as bytes. */
#ifndef DPL_NEON_BYTES_H
#define DPL_NEON_BYTES_H

#include "dpl/tensor.h"

/* `TO` is `FROM`, a tensor of any type: field by field, since gcc copies a whole one by a call of
 * memcpy. */
#define AS_BYTES(TO, FROM)                                                                         \
    do {                                                                                           \
        (TO).data = (int8_t *)(void *)(FROM).data;                                                 \
        (TO).height = (FROM).height;                                                               \
        (TO).width = (FROM).width;                                                                 \
        (TO).channels = (FROM).channels * ELEMENT_BYTES;                                           \
        (TO).row_pitch = (FROM).row_pitch * ELEMENT_BYTES;                                         \
        (TO).pixel_pitch = (FROM).pixel_pitch * ELEMENT_BYTES;                                     \
        (TO).ring_height = (FROM).ring_height;                                                     \
        (TO).first_row = (FROM).first_row;                                                         \
    } while (0)

#endif
