/* Every trap is a fault: no interrupt is enabled. Any core may come here. */
#include "dpl_port.h"
#include "dpl_print.h"
#include "gap8.h"

void dpl_trap(void) __attribute__((noreturn));

static void __attribute__((noreturn)) end(void) {
    dpl_print_line("]");
    dpl_port_flush();
    dpl_port_exit(1);
    for (;;) {
    }
}

void dpl_trap(void) {
    dpl_console_awaken();
    dpl_print("\r\ne-[fault hart ");
    dpl_print_unsigned(csr_read(mhartid));
    dpl_print(" mcause=");
    dpl_print_hex(csr_read(mcause), 8);
    dpl_print(" pc=");
    dpl_print_hex(csr_read(mepc), 8);
    end();
}

void dpl_die(const char *why) {
    dpl_console_awaken();
    dpl_print("\r\ne-[fault ");
    dpl_print(why);
    end();
}
