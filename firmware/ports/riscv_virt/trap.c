/* Every trap is a fault: interrupts are waited for, never taken. */
#include "dpl_port.h"
#include "dpl_print.h"
#include "riscv_virt.h"

void dpl_trap(void) __attribute__((noreturn));

void dpl_trap(void) {
    dpl_print("\r\ne-[fault hart ");
    dpl_print_unsigned(csr_read(mhartid));
    dpl_print(" mcause=");
    dpl_print_hex(csr_read(mcause), 8);
    dpl_print(" pc=");
    dpl_print_hex(csr_read(mepc), 8);
    dpl_print(" mtval=");
    dpl_print_hex(csr_read(mtval), 8);
    dpl_print_line("]");
    dpl_port_exit(1);
    for (;;) {
    }
}

void dpl_die(const char *why) {
    dpl_print("\r\ne-[fault ");
    dpl_print(why);
    dpl_print_line("]");
    dpl_port_exit(1);
    for (;;) {
    }
}
