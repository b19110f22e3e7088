/* The memories of the linker script, and the part of the port that is only about them. */
#include "cortex_m.h"
#include "dpl_port.h"

extern char dpl_dtcm_base[], dpl_dtcm_end[], dpl_sram_base[], dpl_sram_end[];
extern char dpl_static_bytes[]; /* its address is the number */

const char *dpl_port_memory(const void *address) {
    const char *at = address;
    if (at >= dpl_dtcm_base && at < dpl_dtcm_end) {
        return "dtcm";
    }
    return at >= dpl_sram_base && at < dpl_sram_end ? "sram" : "flash";
}

void dpl_port_stack(uintptr_t *low, uintptr_t *high) {
    *low = (uintptr_t)dpl_stack_low;
    *high = (uintptr_t)dpl_stack_high;
}

uint32_t dpl_port_static_bytes(void) {
    return (uint32_t)(uintptr_t)dpl_static_bytes;
}

void dpl_port_fork(void (*fn)(void)) {
    fn();
}
