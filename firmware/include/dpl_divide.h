/* Divisions of 64 bits, for which libgcc takes 1.3 KB of boards of 32. */
#ifndef DPL_DIVIDE_H
#define DPL_DIVIDE_H

#include <stdint.h>

/* *value becomes the quotient; returns the remainder. by is from 1 to 2^31. */
uint32_t dpl_divide(uint64_t *value, uint32_t by);

#endif
