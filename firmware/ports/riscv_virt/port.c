#include "dpl_port.h"

#include "dpl/cores.h"
#include "dpl_print.h"
#include "riscv_virt.h"

void dpl_port_init(void) {
    dpl_guard_stack(0);
    dpl_console_start();
    dpl_counter_start();
}

const char *dpl_port_fault(void) {
    return 0;
}

void dpl_port_earlier(void) {}

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

void dpl_port_pulse(void) {}

void dpl_port_exit(int status) {
    TEST_DEVICE = status == 0 ? TEST_PASS : (uint32_t)status << 16 | TEST_FAIL;
}
