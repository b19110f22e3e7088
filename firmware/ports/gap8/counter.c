/* Cycles of the FC. Silicon has one counter, for the event chosen; models have one for each. The FC
 * never sleeps, so that none is lost. */
#include "dpl_divide.h"
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

/* Of the FC in one cycle of the cluster. */
const char *dpl_counter_per(void) {
    static char text[] = "1.000000";
    uint32_t millionths = (uint32_t)((uint64_t)DPL_FABRIC_HZ * 1000000u / DPL_CLOCK_HZ);
    if (DPL_FABRIC_HZ == DPL_CLOCK_HZ) {
        return "1";
    }
    text[0] = (char)('0' + millionths / 1000000u);
    for (uint32_t digit = 0; digit < 6; digit++, millionths /= 10) {
        text[7 - digit] = (char)('0' + millionths % 10);
    }
    return text;
}

uint64_t dpl_port_microseconds(void) {
    uint64_t passed = dpl_cycles();
    (void)dpl_divide(&passed, FABRIC_MHZ);
    return passed;
}
