/* Activations that are spilled to the memory behind the arena's. Whoever runs the network moves
 * them; both return when the bytes are there. */
#ifndef DPL_SPILL_H
#define DPL_SPILL_H

#include <stdint.h>

/* `outer` counts from the start of that memory. */
void dpl_spill(uint32_t outer, const int8_t *inner, uint32_t bytes);
void dpl_reload(uint32_t outer, int8_t *inner, uint32_t bytes);

#endif
