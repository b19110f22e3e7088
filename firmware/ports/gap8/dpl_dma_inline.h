/* The short calls of dpl/dma.h, in place: the FC's cache has 64 lines, and each that is not there
 * takes 14 cycles. */
#ifndef DPL_DMA_INLINE_H
#define DPL_DMA_INLINE_H

#include "gap8.h"

void dpl_dma_poll(uint32_t group);

static inline uint32_t dpl_dma_open(void) {
    return MCHAN_QUEUE;
}

static inline int dpl_dma_moving(uint32_t group) {
    return (MCHAN_STATUS >> group & 1u) != 0;
}

static inline void dpl_dma_wait(uint32_t group) {
    if (dpl_dma_moving(group)) {
        dpl_dma_poll(group);
    }
    MCHAN_STATUS = 1u << group;
}

#endif
