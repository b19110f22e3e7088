#include "dpl_port.h"

#include "dpl/cores.h"
#include "dpl_print.h"
#include "riscv_virt.h"

extern char dpl_l1_base[], dpl_l1_end[];
extern char dpl_static_bytes[]; /* its address is the number */

void dpl_port_init(void) {
    dpl_guard_stack(0);
    dpl_console_start();
    dpl_counter_start();
}

const char *dpl_port_fault(void) {
    return 0;
}

void dpl_port_caps(void (*emit)(const char *key, const char *value)) {
    const char *per = dpl_counter_per();
    emit("port", "riscv_virt");
    emit("counter", per ? "instructions" : "none");
    emit("counter_per", per ? per : "1");
    emit("counter_of", "all cores");
    emit("cores", dpl_decimal(DPL_CORE_COUNT));
    emit("icache", "none");
    emit("dcache", "none");
}

const char *dpl_port_memory(const void *address) {
    const char *at = address;
    return at >= dpl_l1_base && at < dpl_l1_end ? "l1" : "l2";
}

/* Hart 0's share. */
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

void dpl_port_exit(int status) {
    TEST_DEVICE = status == 0 ? TEST_PASS : (uint32_t)status << 16 | TEST_FAIL;
}
