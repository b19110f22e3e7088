/* What the ports of the family tell of memories in the same words. */
#include "dpl_port.h"

extern char dpl_l1_base[], dpl_l1_end[];
extern char dpl_static_bytes[]; /* its address is the number */

const char *dpl_port_memory(const void *address) {
    const char *at = address;
    return at >= dpl_l1_base && at < dpl_l1_end ? "l1" : "l2";
}

/* That of core 0 of those that share steps. */
void dpl_port_stack(uintptr_t *low, uintptr_t *high) {
    uintptr_t bottom = (uintptr_t)dpl_stack_of(0);
    *low = bottom + DPL_CANARY_WORDS * sizeof(uint32_t);
    *high = bottom + dpl_stack_share();
}

uint32_t dpl_port_static_bytes(void) {
    return (uint32_t)dpl_static_bytes;
}
