/* Moving between L1 and far memory (L2) beside the cores, for boards that have a DMA engine. Who
 * offloads to the cores uses it (dpl/offload.h): opens a group, gives commands, and waits for all
 * of the group, or goes on and waits later. */
#ifndef DPL_DMA_H
#define DPL_DMA_H

#include <stdint.h>

/* `bytes` in one piece, any number that L1 holds; none is fine. */
void dpl_dma_in(void *l1, const void *far, uint32_t bytes);
void dpl_dma_out(void *far, const void *l1, uint32_t bytes);

/* `count` lines of `line` bytes, `stride` apart in far memory and contiguous in L1. Up to 32,767
 * bytes of stride they are one command, beyond that one each. */
void dpl_dma_in_lines(void *l1, const void *far, uint32_t count, uint32_t line, uint32_t stride);
void dpl_dma_out_lines(void *far, const void *l1, uint32_t count, uint32_t line, uint32_t stride);

/* A port may have these three in place. */
#if __has_include("dpl_dma_inline.h")
#include "dpl_dma_inline.h"
#else

/* A group of commands, those that follow until the next one is opened; at most 16 are open. */
uint32_t dpl_dma_open(void);

/* Whether a command of the group is not done. */
int dpl_dma_moving(uint32_t group);

/* Until every command of the group is done; the group ends. */
void dpl_dma_wait(uint32_t group);

#endif

#endif
