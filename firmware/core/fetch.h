/* Weights from the memory behind the arena's, fetched ahead of the steps that need them. */
#ifndef FETCH_H
#define FETCH_H

#include <stdint.h>

/* Before each step, from 0 on: asks for what begins here, waits for what it needs. */
#ifdef DPL_PREFETCH_STEPS
void dpl_fetch_for(uint32_t step);
#else
static inline void dpl_fetch_for(uint32_t step) {
    (void)step;
}
#endif

/* Where in the memory behind the arena's the weights begin; DPL_L3_WEIGHTS at first. */
void dpl_fetch_from(uint32_t l3);

/* CRC-32 of the first bytes there; 0 where nothing is fetched. */
uint32_t dpl_fetched_crc(uint32_t bytes);

uint32_t dpl_l3_crc(uint32_t l3, uint32_t bytes); /* weights.c: the same from any place */

#endif
