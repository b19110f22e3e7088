#include "dpl_port.h"

#include "dpl/cores.h"
#include "dpl_print.h"
#include "gap8.h"

extern uint32_t dpl_fc_stack[];

void dpl_port_init(void) {
    dpl_guard(dpl_fc_stack);
    dpl_counter_start();
    dpl_clock_start();
    dpl_console_start();
    dpl_l3_start();
    dpl_cluster_start();
}

const char *dpl_port_fault(void) {
    return dpl_clock_fault();
}

/* Every start loads the image anew, and with it all RAM that could keep something. */
void dpl_port_earlier(void) {}

void dpl_port_caps(void (*emit)(const char *key, const char *value)) {
    emit("port", "gap8");
    emit("chip", CHIP);
    emit("counter", "cycles");
    emit("counter_per", dpl_counter_per());
    emit("counter_of", "fabric controller, told in cycles of the cluster");
    emit("clock_hz", dpl_decimal(DPL_CLOCK_HZ));
    emit("fabric_hz", dpl_decimal(DPL_FABRIC_HZ));
#ifdef DPL_MILLIVOLTS
    emit("millivolts", dpl_decimal(DPL_MILLIVOLTS));
#endif
    emit("cores", dpl_decimal(DPL_CORE_COUNT));
    emit("icache", "on"); /* reading the register that tells would switch it off in GVSoC */
    emit("dcache", "none");
    if (dpl_trigger_name()) {
        emit("trigger", dpl_trigger_name());
    }
}

/* Ends a model of the chip. */
void dpl_port_exit(int status) {
    EXIT_STATUS = 1u << 31 | (uint32_t)status;
}
