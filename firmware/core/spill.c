/* Activations that lie in the memory behind the arena's. */
#include "dpl/spill.h"

#ifdef DPL_SPILLS

#include "outer.h"

void dpl_spill(uint32_t outer, const int8_t *inner, uint32_t bytes) {
    dpl_outer_write_arena(outer, (const uint8_t *)inner, bytes);
}

void dpl_reload(uint32_t outer, int8_t *inner, uint32_t bytes) {
    dpl_outer_read(outer, (uint8_t *)inner, bytes);
}

#endif
