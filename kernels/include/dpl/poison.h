/* Builds with DPL_POISON overwrite what a piece of a region leaves behind, to catch reads of what
 * is no longer there. */
#ifndef DPL_POISON_H
#define DPL_POISON_H

#include "dpl/cores.h"

typedef struct {
    int8_t *data;
    uint32_t bytes;
} dpl_region_buffer;

/* Every core calls it; the first does it, and the others wait. */
static inline void dpl_poison(const dpl_region_buffer *buffers, int32_t count) {
    for (int32_t i = 0; i < count && dpl_core_id() == 0; i++) {
        for (uint32_t k = 0; k < buffers[i].bytes; k++) {
            buffers[i].data[k] = (int8_t)0xa5;
        }
    }
    dpl_barrier();
}

#endif
