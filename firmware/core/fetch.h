/* Weights from the memory behind the arena's, fetched ahead of the steps that need them. */
#ifndef FETCH_H
#define FETCH_H

#include <stdint.h>

/* Before each step, from 0 on: asks for what begins here, waits for what it needs. */
void dpl_fetch_for(uint32_t step);

#endif
