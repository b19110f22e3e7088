/* The harness's copy of the inputs in the memory behind the arena's, DPL_INPUT_OUTER bytes from its
 * start, so that no inference has to do without these bytes. */
#include "network.h"

#ifdef DPL_INPUT_OUTER

#include "outer.h"

void dpl_input_write(uint32_t offset, const uint8_t *bytes, uint32_t count) {
    dpl_outer_write(DPL_INPUT_OUTER + offset, bytes, count);
}

void dpl_input_clear(void) {
    dpl_outer_write(DPL_INPUT_OUTER, 0, DPL_INPUT_BYTES);
}

void dpl_input_read(uint32_t offset, uint8_t *into, uint32_t count) {
    dpl_outer_read(DPL_INPUT_OUTER + offset, into, count);
}

#endif
