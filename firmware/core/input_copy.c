/* The harness's copy of the inputs, where a core can read it. */
#include "network.h"

#ifndef DPL_INPUT_OUTER

#include "dpl_place.h"

/* In a section of its own, which start-up does not clear: it lies in whatever memory has room. */
static uint8_t copy[DPL_INPUT_BYTES] DPL_SECTION(".dpl_input");

void dpl_input_clear(void) {
    for (uint32_t i = 0; i < DPL_INPUT_BYTES; i++) {
        copy[i] = 0;
    }
}

void dpl_input_write(uint32_t offset, const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        copy[offset + i] = bytes[i];
    }
}

void dpl_input_read(uint32_t offset, uint8_t *into, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        into[i] = copy[offset + i];
    }
}

#endif
