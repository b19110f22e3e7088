/* Cycles of the FC. Silicon has one counter, for the event chosen; models have one for each. The FC
 * never sleeps, so that none is lost. */
#include "dpl_port.h"
#include "gap8.h"

#define EVENT_CYCLES 1u

void dpl_counter_start(void) {
    csr_write(CSR_COUNTER_MODE, 0);
    csr_write(0x79F, 0);
    csr_write(CSR_COUNTER_EVENTS, EVENT_CYCLES);
    csr_write(CSR_COUNTER_MODE, 1);
}

uint32_t dpl_port_counter(void) {
    return csr_read(0x780);
}

uint64_t dpl_cycles(void) {
    static uint64_t total;
    total += (uint32_t)(dpl_port_counter() - (uint32_t)total);
    return total;
}

uint64_t dpl_port_microseconds(void) {
    return dpl_cycles() / CLOCK_MHZ;
}
