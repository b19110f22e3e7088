#include "dpl_port.h"

#include "dpl/cores.h"
#include "dpl_print.h"
#include "gap8.h"

extern char dpl_l1_base[], dpl_l1_end[];
extern char dpl_static_bytes[]; /* its address is the number */
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

void dpl_port_caps(void (*emit)(const char *key, const char *value)) {
    emit("port", "gap8");
    emit("chip", CHIP);
    emit("counter", "cycles");
    emit("counter_per", "1");
    emit("counter_of", "fabric controller, on the cluster's clock");
    emit("clock_hz", dpl_decimal(CLOCK_HZ));
    emit("cores", dpl_decimal(DPL_CORE_COUNT));
    emit("icache", "on"); /* reading the register that tells would switch it off in GVSoC */
    emit("dcache", "none");
}

const char *dpl_port_memory(const void *address) {
    const char *at = address;
    return at >= dpl_l1_base && at < dpl_l1_end ? "l1" : "l2";
}

/* That of the cluster's first core, on which steps run; the FC's own is guarded alone. */
void dpl_port_stack(uintptr_t *low, uintptr_t *high) {
    uintptr_t bottom = (uintptr_t)dpl_stack_of(0);
    *low = bottom + DPL_CANARY_WORDS * sizeof(uint32_t);
    *high = bottom + dpl_stack_share();
}

uint32_t dpl_port_static_bytes(void) {
    return (uint32_t)dpl_static_bytes;
}

void dpl_port_marker(int on) {
    (void)on;
}

/* Ends a model of the chip. */
void dpl_port_exit(int status) {
    EXIT_STATUS = 1u << 31 | (uint32_t)status;
}
